import type { Stage } from '../../announcements/announcement.ts'
import { type Both, wordsOf } from './words.ts'

export const STAGE_WORDS: Readonly<Record<Stage, Both>> = {
  queued: ['queued', 'chờ gửi'],
  sent: ['sent', 'đã gửi'],
  received: ['received', 'loa đã nhận'],
  played: ['played', 'đã đọc'],
  delivered: ['delivered, sound not proven', 'đã tới loa, không rõ đã phát'],
  failed: ['failed', 'lỗi'],
  expired: ['missed', 'bị lỡ'],
  suppressed: ['not said: locked', 'không đọc: loa bị khoá'],
}
export const stageIn = wordsOf(STAGE_WORDS)
