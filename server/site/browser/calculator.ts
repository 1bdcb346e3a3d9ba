import {
  CHECKSUM_FIELDS,
  canonicalString,
  formEncoded,
  type SignedField,
  type SignedFields,
  signedFields,
} from '../../payments/canonical-string.ts'
import { readCallback } from '../../payments/pasted-callback.ts'
import { checkChecksum, checkString } from './check.ts'
import { type Cut, firstDifference } from './compare.ts'
import { sign, toBase64, toHex } from './shared/digest.ts'
import { byId, element, showVerdict, textBox } from './shared/dom.ts'
import { say } from './shared/say.ts'

/** Makes the calculator interactive: everything is computed in the page while the reader types. */
export function calculator() {
  const boxes = new Map(CHECKSUM_FIELDS.map((name) => [name, textBox(`calc-${name}`)]))
  const secretBox = textBox('calc-secret')
  const stringBox = textBox('calc-their-string')
  const checksumBox = textBox('calc-their-checksum')
  // The texts are stored apart from their boxes: a box changes line breaks, and the hub signs the text as received.
  const fields = signedFields((name) => boxes.get(name)?.value ?? '')

  const show = () => {
    showResults(fields, secretBox.value)
    showVerdicts(fields, secretBox.value, stringBox.value, checksumBox.value)
  }
  for (const [name, box] of boxes)
    box.addEventListener('input', () => {
      fields[name] = box.value
      show()
    })
  for (const box of [secretBox, stringBox, checksumBox]) box.addEventListener('input', show)

  const fillField = (name: SignedField, text: string) => {
    fields[name] = text
    const box = boxes.get(name)
    if (box) box.value = text
  }
  const jsonBox = textBox('calc-json')
  jsonBox.addEventListener('input', () => {
    const pasted = jsonBox.value.trim() === '' ? '' : readCallback(jsonBox.value, say)
    const remark = typeof pasted === 'string' ? pasted : pasted.remarks.join(' ')
    byId('calc-json-remark').textContent = remark
    if (typeof pasted === 'string') return
    for (const name of CHECKSUM_FIELDS) fillField(name, pasted.fields[name])
    checksumBox.value = pasted.checkSum
    show()
  })
  copyInOneLine(byId('calc-string'))
  show()
  return {
    /** Fills in a value of the page. */
    fill(name: SignedField | 'secret', text: string) {
      if (name === 'secret') secretBox.value = text
      else fillField(name, text)
      show()
    },
  }
}

function showResults(fields: SignedFields, secret: string) {
  const right = canonicalString(fields)
  const span = (kind: string, text: string) => element('span', `pair-${kind}`, text)
  const pairs = CHECKSUM_FIELDS.map((name, i) => {
    const [and, is] = [span('mark', i === 0 ? '' : '&'), span('mark', '=')]
    return element('span', 'pair', and, span('name', name), is, span('text', formEncoded(fields[name])))
  })
  byId('calc-string').replaceChildren(...pairs)
  byId('calc-length').textContent = say({ en: `${right.length} characters`, vi: `${right.length} ký tự` })
  const digest = sign(secret, right)
  byId('calc-hex').textContent = toHex(digest)
  byId('calc-base64').textContent = toBase64(digest)
  const remark =
    secret.trim() === secret
      ? ''
      : say({ en: 'It starts or ends with white space.', vi: 'Có khoảng trắng ở đầu hoặc ở cuối.' })
  byId('calc-secret-remark').textContent =
    secret === ''
      ? say({ en: 'Type the client secret to get the checksum.', vi: 'Hãy gõ khoá bí mật để có checksum.' })
      : remark
}

function showVerdicts(fields: SignedFields, secret: string, theirs: string, received: string) {
  const string = theirs === '' ? undefined : checkString(fields, theirs)
  const checksum = received.trim() === '' ? undefined : checkChecksum(fields, secret, received, theirs)
  showVerdict('calc-string-verdict', string)
  showVerdict('calc-checksum-verdict', checksum)

  const difference = string?.grade === 'wrong' ? firstDifference(fields, theirs) : undefined
  byId('calc-difference').hidden = difference === undefined
  if (!difference) return
  byId('calc-difference-place').replaceChildren(
    say({
      en: `They differ first at character ${difference.position}, in `,
      vi: `Khác nhau bắt đầu từ ký tự thứ ${difference.position}, trong trường `,
    }),
    element('code', '', difference.field),
    '.',
  )
  showCut('calc-difference-right', difference.right)
  showCut('calc-difference-theirs', difference.theirs)
}

function showCut(id: string, { before, different, after }: Cut) {
  const mark =
    different === ''
      ? element('mark', 'end', say({ en: 'the end', vi: 'hết chuỗi' }))
      : element('mark', '', different === '\n' ? '\\n' : different)
  byId(id).replaceChildren(before, mark, after)
}

/** The page shows one pair per line; copying removes the line breaks, so that the copy is the signed string. */
function copyInOneLine(box: HTMLElement) {
  box.addEventListener('copy', (event) => {
    event.clipboardData?.setData('text/plain', String(getSelection()).replace(/\s/g, ''))
    event.preventDefault()
  })
}
