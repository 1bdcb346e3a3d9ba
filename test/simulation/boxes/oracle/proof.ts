import { Violation } from '../../kit/violation.ts'
import type { AnnouncementRow } from '../../oracle/file.ts'
import type { Told } from './told.ts'

/** No stage, and no proof, without what the box itself has sent. */
export function checkProof({ serial, amount, stage, proof }: AnnouncementRow, told: Told | undefined) {
  const has = told ?? { isConfirmed: false, isAnswered: false, isPlayed: false }
  const what = `the announcement of ${amount} to ${serial}`
  const isTaken = stage === 'received' || stage === 'delivered' || stage === 'played'
  if (isTaken && !has.isConfirmed && !has.isAnswered)
    throw new Violation('box: proof', `${what} is ${stage}, and the box has confirmed nothing`)
  if (stage === 'played' && !has.isPlayed)
    throw new Violation('box: proof', `${what} is played, and the box has not reported that`)
  if (proof === 'played' && !has.isPlayed)
    throw new Violation('box: proof', `${what} has the proof played, and the box has not reported that`)
  if (proof === 'accepted' && !has.isAnswered)
    throw new Violation('box: proof', `${what} has the proof accepted, and the box has not answered`)
}
