import { canIdentify, cannot } from '../../../devices/abilities.ts'
import { fieldError, HubError } from '../../../platform/errors.ts'
import type { SettingsChange } from '../../../settings/settings.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { devicePath } from '../../parts/device.ts'
import { timeOf } from '../../parts/format.ts'
import { notice } from '../../parts/pieces.ts'
import type { OwnVisit, Route } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import { type DeviceFacts, findDevice, readFacts } from './facts.ts'
import { devicePageBody } from './page.ts'

const words = wordsOf({
  device: ['Device', 'Loa'],
  identified: ['The device has beeped and flashed.', 'Loa đã kêu bíp và nháy đèn.'],
  asked: ['The device is asked to beep and flash…', 'Đã yêu cầu loa kêu bíp và nháy đèn…'],
  silent: [
    'The device did not answer: is it switched on and connected?',
    'Loa không trả lời: loa có đang bật và kết nối không?',
  ],
  settings: [
    'The settings are stored. A connected device gets them at once, another one when it is back.',
    'Đã lưu cài đặt. Loa đang kết nối nhận ngay, loa khác nhận khi kết nối lại.',
  ],
  locked: ['The device is locked.', 'Đã khoá loa.'],
  unlocked: ['The device is unlocked.', 'Đã mở khoá loa.'],
  revoked: ['The device is revoked.', 'Đã thu hồi loa.'],
  revoke: ['Revoke this device?', 'Thu hồi loa này?'],
  forGood: [
    'This can not be undone: the hub refuses the device for good, its key is worthless, and its shops need another one.',
    'Không thể hoàn tác: hub từ chối loa này vĩnh viễn, khoá của loa không còn giá trị và cửa hàng cần loa khác.',
  ],
  yes: ['Revoke for good', 'Thu hồi vĩnh viễn'],
  no: ['Back to the device', 'Quay lại trang của loa'],
})

/** The device has this long to answer: as `hub device identify` waits. */
const IDENTIFY_TIMEOUT_MS = 11_000
const LOOK_EVERY_S = 1

const serialOf = ({ c }: OwnVisit): string => c.req.param('serial') ?? ''

/** Back to the page of the device, which says what was done. */
const back = (visit: OwnVisit, query: string) =>
  visit.c.redirect(`${devicePath(serialOf(visit))}?${query}`, 303)

/** What was done, as far as it is so. */
function noticeOf({ device, identifiedAt }: DeviceFacts, { c, lang, now }: OwnVisit): Html | '' {
  const w = words(lang)
  const asked = c.req.query('asked')
  if (asked !== undefined && /^\d{1,15}$/.test(asked)) {
    const askedAt = Number(asked)
    if (identifiedAt !== undefined && identifiedAt >= askedAt)
      return notice(html`${w.identified} ${timeOf(identifiedAt, lang)}`)
    if (now >= askedAt + IDENTIFY_TIMEOUT_MS) return notice(w.silent, 'bad')
    // Without scripts, too, the page looks again.
    c.header('Refresh', String(LOOK_EVERY_S))
    return notice(w.asked, 'warn')
  }
  const { active, revokedAt } = device
  switch (c.req.query('done')) {
    case 'settings':
      return notice(w.settings)
    case 'locked':
      return active ? '' : notice(w.locked)
    case 'unlocked':
      return active ? notice(w.unlocked) : ''
    case 'revoked':
      return revokedAt === undefined ? '' : notice(w.revoked)
    default:
      return ''
  }
}

/** What the form of the settings asks for. Empty fields stay unchanged. */
function changeOf({ volume, lang }: Readonly<Record<string, unknown>>): SettingsChange {
  const wrong = (field: string, issue: string) => fieldError('VALIDATION_FAILED', field, issue)
  const change: SettingsChange = {}
  if (typeof volume === 'string' && volume.trim() !== '') {
    if (!/^(\d{1,2}|100)$/.test(volume.trim())) throw wrong('volume', 'must be 0 to 100')
    change.volume = Number(volume)
  }
  if (lang === 'vi' || lang === 'en') change.lang = lang
  else if (lang !== undefined && lang !== '') throw wrong('lang', 'must be vi or en')
  if (change.volume === undefined && change.lang === undefined)
    throw wrong('volume', 'nothing is to be changed')
  return change
}

const setActive = (active: boolean): Route => ({
  method: 'POST',
  path: `/devices/:serial/${active ? 'unlock' : 'lock'}`,
  role: 'operator',
  async answer(visit) {
    const [failure] = await visit.verbs.updateStatus(visit.by, [{ serial: serialOf(visit), active }])
    if (failure) throw new HubError('DEVICE_NOT_FOUND')
    return back(visit, `done=${active ? 'unlocked' : 'locked'}`)
  },
})

const titleOf = (lang: Lang, serial: string) => `${words(lang).device} ${serial}`

/** The page of one speaker, and its changes. */
export const deviceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/devices/:serial',
    role: 'viewer',
    async answer(visit) {
      const facts = await readFacts(visit, serialOf(visit))
      return {
        title: titleOf(visit.lang, facts.device.serial),
        body: devicePageBody(facts, visit, noticeOf(facts, visit)),
      }
    },
  },
  {
    method: 'POST',
    path: '/devices/:serial/identify',
    role: 'operator',
    async answer(visit) {
      const { storage, by, clock } = visit
      const askedAt = clock.now()
      if (!canIdentify(await findDevice(visit, serialOf(visit))))
        throw cannot('deviceSerial', 'has no test sound: report a small payment to hear it')
      if (!(await storage.devices.askIdentify(by, serialOf(visit), askedAt)))
        throw new HubError('DEVICE_NOT_FOUND')
      return back(visit, `asked=${askedAt}`)
    },
  },
  {
    method: 'POST',
    path: '/devices/:serial/settings',
    role: 'operator',
    async answer(visit) {
      const change = changeOf(await visit.c.req.parseBody())
      await visit.verbs.changeSettings(visit.by, serialOf(visit), change)
      return back(visit, 'done=settings')
    },
  },
  setActive(false),
  setActive(true),
  {
    method: 'GET',
    path: '/devices/:serial/revoke',
    role: 'admin',
    async answer(visit) {
      const { lang } = visit
      const w = words(lang)
      const { serial } = await findDevice(visit, serialOf(visit))
      return {
        title: titleOf(lang, serial),
        body: html`<section class="panel"><h2>${w.revoke}</h2><p class="bad">${w.forGood}</p>
<form method="post" action="${devicePath(serial, '/revoke')}"><button class="danger">${w.yes}</button> <a href="${devicePath(serial)}">${w.no}</a></form></section>`,
      }
    },
  },
  {
    method: 'POST',
    path: '/devices/:serial/revoke',
    role: 'admin',
    async answer(visit) {
      const { storage, by, clock } = visit
      if (!(await storage.devices.revoke(by, serialOf(visit), clock.now())))
        throw new HubError('DEVICE_NOT_FOUND')
      return back(visit, 'done=revoked')
    },
  },
]
