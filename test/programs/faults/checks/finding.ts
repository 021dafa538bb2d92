/** A violation that the suite found. */
export interface Finding {
  kind: 'lost' | 'inconsistent' | 'cross-tenant' | 'leaked' | 'timeout' | 'wrong response';
  text: string;
}
