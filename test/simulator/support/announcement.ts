import { announcementClips } from '../../../protocol/money/sentence.ts'

/** The body of an announcement in Vietnamese, as the hub makes it. */
export function announcementOf(amount: string) {
  return { amount, currency: 'VND', lang: 'vi', clips: announcementClips('vi', amount) } as const
}
