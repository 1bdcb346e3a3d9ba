import { announcementClips } from '../../../protocol/money/sentence.ts'

/** The body of a Vietnamese announcement, as the hub creates it. */
export function announcementOf(amount: string) {
  return { amount, currency: 'VND', lang: 'vi', clips: announcementClips('vi', amount) } as const
}
