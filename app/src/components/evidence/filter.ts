import type { Inputs } from '../../api/client.ts';

type EvidenceFilter = NonNullable<Inputs['task']['listAll']['evidence']>;

/** Values of the filter for evidence, as people read them. */
export const EVIDENCE_OPTIONS: readonly { value: EvidenceFilter; label: string }[] = [
  { value: 'none', label: 'No evidence' },
  { value: 'some', label: 'With evidence' },
  { value: 'expiring', label: 'Expiring evidence' },
];

/** A value of the URL; undefined for an unknown one. */
export const evidenceFilterOf = (value: string | undefined): EvidenceFilter | undefined =>
  EVIDENCE_OPTIONS.find((option) => option.value === value)?.value;

/** A value of the URL as people read it. */
export const evidenceFilterText = (value: string): string =>
  EVIDENCE_OPTIONS.find((option) => option.value === value)?.label ?? value;
