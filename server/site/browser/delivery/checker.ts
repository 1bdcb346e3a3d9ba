import type { Words } from '../../../platform/language/words.ts'
import { byId, element, showVerdict, textBox } from '../shared/dom.ts'
import { say } from '../shared/say.ts'
import { type Grade, right, wrong } from '../shared/verdict.ts'
import { exampleDelivery } from './example.ts'
import { type Finding, judge, judgeOwn } from './judge.ts'
import { readDelivery } from './read.ts'

/** An icon for the eye and a word for screen readers. */
const ICONS: Record<Grade, readonly [icon: string, word: Words]> = {
  right: ['✓', { en: 'right', vi: 'đúng' }],
  remark: ['!', { en: 'note', vi: 'lưu ý' }],
  wrong: ['✗', { en: 'wrong', vi: 'sai' }],
}

const SECRET = { en: 'Secret', vi: 'Khoá bí mật' }
const BODY = { en: 'Body', vi: 'Phần thân' }

/** Makes the checker of deliveries work: everything is computed in the page while the reader types. */
export function deliveryChecker() {
  const pasteBox = textBox('delivery-text')
  const secretBox = textBox('delivery-secret')
  const ownBox = textBox('delivery-own')
  const show = () => {
    const delivery = readDelivery(pasteBox.value)
    const judged = judge(delivery, secretBox.value, Date.now())
    showVerdict('delivery-verdict', judged)
    byId('delivery-findings').replaceChildren(...judged.findings.map(row))
    byId('delivery-content').textContent = judged.right?.content ?? ''
    byId('delivery-signature').textContent = judged.right?.signature ?? ''
    const own = ownBox.value.trim() === '' ? undefined : judgeOwn(ownBox.value, delivery, secretBox.value)
    const says = [own?.says, own?.instead].filter(Boolean).join(' ')
    showVerdict('delivery-own-verdict', own && (own.verdict === 'right' ? right(says) : wrong(says)))
  }
  for (const box of [pasteBox, secretBox, ownBox]) box.addEventListener('input', show)
  const { text, secret } = exampleDelivery(Date.now())
  pasteBox.value = text
  secretBox.value = secret
  show()
}

function row({ about, grade, says }: Finding): HTMLElement {
  const [icon, word] = ICONS[grade]
  const mark = element('span', 'finding-mark', icon)
  mark.setAttribute('role', 'img')
  mark.setAttribute('aria-label', say(word))
  const shown = about === 'Secret' ? say(SECRET) : about === 'Body' ? say(BODY) : about
  const text = element('span', 'finding-text', element('strong', '', shown), ' ', says)
  return element('li', `finding ${grade}`, mark, text)
}
