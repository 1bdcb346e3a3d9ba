import { canIdentify } from '../../../devices/abilities.ts'
import type { Role } from '../../../operators/session.ts'
import { mayAct } from '../../../operators/session.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { devicePath } from '../../parts/device.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import type { DeviceFacts } from './facts.ts'

const words = wordsOf({
  title: ['Change', 'Thao tác'],
  identify: ['Identify and test', 'Nhận diện và thử loa'],
  identifies: [
    'It beeps and flashes. It speaks no sentence: only real money may sound like money.',
    'Loa kêu bíp và nháy đèn. Loa không đọc câu nào: chỉ tiền thật mới được đọc như tiền.',
  ],
  noTest: [
    'This box can not beep. Report a small payment to hear it.',
    'Hộp này không kêu bíp được. Hãy báo một khoản tiền nhỏ để nghe thử.',
  ],
  noSettings: [
    'Its volume and language are set at the box itself.',
    'Âm lượng và ngôn ngữ được đặt ngay trên hộp.',
  ],
  volume: ['Volume, %', 'Âm lượng, %'],
  language: ['Language', 'Ngôn ngữ'],
  unchanged: ['as it is', 'giữ nguyên'],
  set: ['Set', 'Đặt'],
  lock: ['Lock', 'Khoá'],
  unlock: ['Unlock', 'Mở khoá'],
  locks: [
    'A locked speaker stays silent. Announcements that are on their way to it are never spoken.',
    'Loa bị khoá thì im lặng. Những thông báo đang trên đường đến loa sẽ không bao giờ được đọc.',
  ],
  revoke: ['Revoke…', 'Thu hồi…'],
  vi: ['Vietnamese', 'tiếng Việt'],
  en: ['English', 'tiếng Anh'],
})

/** What a person may do with a device. Each is a form of its own, which works without scripts. */
export function actionsOf({ device, settings }: DeviceFacts, role: Role, lang: Lang): Html {
  const w = words(lang)
  const { serial, active, clientId, abilities } = device
  const volume = settings?.desired?.volume ?? settings?.reported?.volume
  const to = (rest: string) => devicePath(serial, rest)
  return html`<section class="panel actions" aria-labelledby="change"><h2 id="change">${w.title}</h2>
${
  canIdentify(device)
    ? html`<form method="post" action="${to('/identify')}"><button class="main">${w.identify}</button> <small>${w.identifies}</small></form>`
    : html`<p><small>${w.noTest}</small></p>`
}
${abilities.settings.length > 0 ? settingsForm(device, volume, lang) : html`<p><small>${w.noSettings}</small></p>`}
${
  clientId === undefined
    ? ''
    : html`<form method="post" action="${to(active ? '/lock' : '/unlock')}"><button${active ? html` class="danger"` : ''}>${active ? w.lock : w.unlock}</button>${active ? html` <small>${w.locks}</small>` : ''}</form>`
}
${mayAct(role, 'admin') ? html`<p><a class="danger" href="${to('/revoke')}">${w.revoke}</a></p>` : ''}
</section>`
}

/** Only for the settings that the device has. */
function settingsForm(
  { serial, abilities: { settings } }: DeviceFacts['device'],
  volume: number | undefined,
  lang: Lang,
): Html {
  const w = words(lang)
  return html`<form method="post" action="${devicePath(serial, '/settings')}">
${settings.includes('volume') ? html`<label>${w.volume} <input name="volume" type="number" min="0" max="100" value="${volume ?? ''}"></label>` : ''}
${settings.includes('lang') ? html`<label>${w.language} <select name="lang"><option value="">${w.unchanged}</option><option value="vi">${w.vi}</option><option value="en">${w.en}</option></select></label>` : ''}
<button>${w.set}</button></form>`
}
