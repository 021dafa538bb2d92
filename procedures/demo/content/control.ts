/** Departments of the company. */
export const DEPARTMENTS = ['Security', 'IT', 'Legal', 'People'] as const;
export type Department = (typeof DEPARTMENTS)[number];

/** Repetition of a control: its rule (RFC 5545), and the days between two due dates, nearly. */
export const REPETITIONS = {
  month: { rule: 'FREQ=MONTHLY;BYMONTHDAY=-1', months: 1 },
  quarter: { rule: 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1', months: 3 },
  halfYear: { rule: 'FREQ=MONTHLY;INTERVAL=6;BYMONTHDAY=-1', months: 6 },
} as const;
export type Repetition = keyof typeof REPETITIONS;

/** A control of a framework, as a task that shows it. */
export interface Control {
  title: string;
  department: Department;
  label: string;
  /** 1 urgent, 4 low. */
  priority: number;
  /** The state that must be reached, and how it is shown. */
  text: string;
  /** Gap that the company found. */
  gap?: string;
  every?: Repetition;
  /** Label of the vendors that the control is about. */
  vendors?: string;
  /** The task ends without being done, for a reason. */
  end?: { status: 'canceled' | 'not_applicable'; reason: string };
}

export const control = (
  title: string,
  [department, label, priority]: readonly [Department, string, number],
  text: string,
  further: Pick<Control, 'gap' | 'every' | 'vendors' | 'end'> = {},
): Control => ({ title, department, label, priority, text, ...further });
