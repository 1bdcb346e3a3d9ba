import { type Abilities, OWN_DIALECT } from '../../../devices/device.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { money } from '../../parts/format.ts'
import { factList } from '../../parts/pieces.ts'
import { proofIn } from '../../parts/proof.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'

const words = wordsOf({
  title: ['What it can do', 'Loa làm được gì'],
  dialect: ['Dialect', 'Giao thức'],
  profile: ['Profile', 'Hồ sơ'],
  proof: ['Proof of the sound', 'Bằng chứng đã phát'],
  identity: ['Login', 'Đăng nhập'],
  device: ['of this device alone', 'riêng của loa này'],
  weak: [
    'weak: many boxes share its secret, or anybody can read it on the box. Whoever knows it can connect in place of this box.',
    'yếu: nhiều hộp dùng chung bí mật, hoặc ai cũng đọc được trên hộp. Người biết bí mật có thể kết nối thay cho hộp này.',
  ],
  pairing: ['Verification code', 'Mã xác minh'],
  onScreen: ['on its screen', 'trên màn hình'],
  spoken: ['spoken twice', 'đọc hai lần'],
  asQr: ['as a QR on its screen', 'dạng QR trên màn hình'],
  onLabel: ['printed on its label', 'in trên nhãn'],
  shows: ['Shows', 'Hiển thị'],
  screen: ['its shop', 'tên cửa hàng'],
  qr: ['QR of bills', 'QR của hoá đơn'],
  missed: ['missed payments', 'khoản tiền bị lỡ'],
  keypad: ['has keys for an amount', 'có phím nhập số tiền'],
  nothing: ['nothing', 'không gì'],
  languages: ['Says', 'Đọc'],
  vi: ['Vietnamese', 'tiếng Việt'],
  en: ['English', 'tiếng Anh'],
  unknown: ['not known yet', 'chưa biết'],
  highest: ['Highest amount', 'Số tiền cao nhất'],
})

/** What a device can do, and what its login is worth. */
export function abilitiesOf(abilities: Abilities, lang: Lang): Html {
  const w = words(lang)
  const { dialect, profile, proof, identity, pairing, languages, maxAmount } = abilities
  const shows = (['screen', 'qr', 'missed', 'keypad'] as const).filter((name) => abilities[name])
  const codeIs = { screen: w.onScreen, spoken: w.spoken, qr: w.asQr, label: w.onLabel }
  return html`<section class="panel"><h2>${w.title}</h2>${factList(
    [
      [w.dialect, dialect],
      ...(dialect === OWN_DIALECT ? [] : [[w.profile, profile ?? w.unknown] as const]),
      [w.proof, proofIn(lang)[proof]],
      [w.identity, identity === 'weak' ? html`<span class="bad">${w.weak}</span>` : w.device],
      [w.pairing, codeIs[pairing]],
      [w.shows, shows.map((name) => w[name]).join(', ') || w.nothing],
      [w.languages, languages.map((one) => w[one]).join(', ') || w.unknown],
      [w.highest, money(maxAmount)],
    ],
    { isPanel: false },
  )}</section>`
}
