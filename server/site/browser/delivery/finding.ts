/** `remark`: worth knowing, and no mistake of this delivery. */
export type Grade = 'right' | 'remark' | 'wrong'

/** A sentence or two about one part of a delivery. */
export interface Finding {
  about: 'Secret' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature' | 'Body'
  grade: Grade
  says: string
}
