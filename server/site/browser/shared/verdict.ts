/** `remark`: worth knowing, and no mistake. */
export type Grade = 'right' | 'remark' | 'wrong'

/** A sentence or two on what a reader has typed. */
export interface Verdict {
  grade: Grade
  says: string
}

export const right = (says: string): Verdict => ({ grade: 'right', says })
export const remark = (says: string): Verdict => ({ grade: 'remark', says })
export const wrong = (says: string): Verdict => ({ grade: 'wrong', says })
