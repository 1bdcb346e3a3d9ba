import type { AnnouncementTrail } from '../../announcements/announcement.ts'
import { SOUND_PROOFS, type SoundProof } from '../../devices/device.ts'
import { type Html, html } from '../../site/parts/html.ts'
import { type Both, type Lang, wordsOf } from './words.ts'

/** The proof of a sound, for a sentence. */
export const proofIn = wordsOf<SoundProof, string>({
  played: ['played to the end', 'đã phát hết'],
  accepted: ['accepted, sound not proven', 'loa đã nhận, không rõ đã phát'],
  none: ['nothing', 'không có'],
})

const SHORT: Readonly<Record<SoundProof, Both>> = {
  played: ['played', 'đã phát'],
  accepted: ['accepted', 'đã nhận'],
  none: ['none', 'không có'],
}
/** The same, for a table. */
export const shortProofIn = wordsOf(SHORT)

/** The best proof first. */
export const PROOF_CHOICES = SOUND_PROOFS.toReversed().map((value) => ({ value, label: SHORT[value] }))

const words = wordsOf({
  proof: ['proof of the sound:', 'bằng chứng đã phát:'],
  mayRepeat: [
    'may have repeated: it was sent again to a box that does not remember what it had',
    'có thể đã phát lặp: đã gửi lại cho hộp không nhớ lệnh cũ',
  ],
})

/** What is known of the sound of an announcement on a box. Empty for a speaker of our own: its stage says it. */
export function soundOf({ proof, mayRepeat }: AnnouncementTrail, lang: Lang): Html | '' {
  const w = words(lang)
  if (proof === undefined && !mayRepeat) return ''
  return html`${proof === undefined ? '' : html` <small>${w.proof} ${proofIn(lang)[proof]}</small>`}${mayRepeat ? html` <small class="bad">${w.mayRepeat}</small>` : ''}`
}
