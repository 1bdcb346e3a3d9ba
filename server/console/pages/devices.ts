import { type DeviceDetail, DIALECT_NAMES, SOUND_PROOFS } from '../../devices/device.ts'
import type { DeviceFilter } from '../../devices/ports.ts'
import { cut } from '../../operate/cli/output.ts'
import { DEVICE_STATES, stateOf } from '../../operate/device-state.ts'
import { readDuration } from '../../operate/instant.ts'
import { isoInstant } from '../../platform/clock.ts'
import { fieldError } from '../../platform/errors.ts'
import { CURSOR_PATTERN, type Page } from '../../platform/page.ts'
import { html } from '../../site/parts/html.ts'
import {
  battery,
  devicePath,
  lastSeen,
  modelOf,
  READINGS,
  reading,
  STATE_CHOICES,
  shops,
  stateBadge,
} from '../parts/device.ts'
import { ago, never } from '../parts/format.ts'
import { askedFor, type Column, type Field, fileOf, listOf, ROWS, wantsFile } from '../parts/list.ts'
import { PROOF_CHOICES, shortProofIn } from '../parts/proof.ts'
import { readRows } from '../parts/reading.ts'
import type { OwnVisit, PageRoute } from '../parts/visit.ts'
import { type Lang, wordsOf } from '../parts/words.ts'

const words = wordsOf({
  title: ['Devices', 'Loa'],
  none: ['none', 'không có'],
  weak: ['weak login', 'đăng nhập yếu'],
  more: [
    'Not all devices were looked at yet. “Older ones” looks further back.',
    'Chưa xem hết các loa. “Cũ hơn” tìm tiếp về trước.',
  ],
})

const FIELDS: readonly Field[] = [
  { name: 'state', label: ['State', 'Trạng thái'], choices: STATE_CHOICES },
  { name: 'serial', label: ['Serial begins with', 'Số serial bắt đầu bằng'] },
  { name: 'battery', label: ['Battery at most, %', 'Pin không quá, %'], type: 'number' },
  { name: 'silence', label: ['Silent for longer than (30m, 3h, 2d)', 'Im lặng lâu hơn (30m, 3h, 2d)'] },
  {
    name: 'dialect',
    label: ['Dialect', 'Giao thức'],
    choices: DIALECT_NAMES.map((value) => ({ value, label: [value, value] as const })),
  },
  { name: 'proof', label: ['Proof of the sound', 'Bằng chứng đã phát'], choices: PROOF_CHOICES },
]

/** No serial begins with anything else. */
const SERIAL_PREFIX = /^[A-Za-z0-9_-]{1,32}$/

type Filter = Pick<
  DeviceFilter,
  'state' | 'serialPrefix' | 'batteryAtMost' | 'silentSince' | 'dialect' | 'profiles'
>

/** What a form asks for. Undefined: no device is so. Throws VALIDATION_FAILED for what is no value of its field. */
async function filterOf(
  { state, serial, battery, silence, dialect, proof }: Readonly<Record<string, string>>,
  { now, verbs }: OwnVisit,
): Promise<Filter | undefined> {
  const wrong = (field: string, issue: string) => fieldError('VALIDATION_FAILED', field, issue)
  const known = DEVICE_STATES.find((one) => one === state)
  if (state !== undefined && known === undefined)
    throw wrong('state', `must be one of ${DEVICE_STATES.join(', ')}`)
  if (battery !== undefined && !/^(\d{1,2}|100)$/.test(battery)) throw wrong('battery', 'must be 0 to 100')
  const silentMs = silence === undefined ? undefined : readDuration(silence)
  if (silence !== undefined && silentMs === undefined)
    throw wrong('silence', 'must be a duration such as 90s, 10m, 24h or 7d')
  if (dialect !== undefined && !DIALECT_NAMES.some((one) => one === dialect))
    throw wrong('dialect', `must be one of ${DIALECT_NAMES.join(', ')}`)
  const proven = SOUND_PROOFS.find((one) => one === proof)
  if (proof !== undefined && proven === undefined)
    throw wrong('proof', `must be one of ${SOUND_PROOFS.join(', ')}`)
  if (serial !== undefined && !SERIAL_PREFIX.test(serial)) return undefined
  return {
    state: known,
    serialPrefix: serial,
    batteryAtMost: battery === undefined ? undefined : Number(battery),
    silentSince: silentMs === undefined ? undefined : now - silentMs,
    dialect,
    profiles: proven && (await verbs.profilesProving(proven)),
  }
}

async function read(
  visit: OwnVisit,
  filter: Filter | undefined,
  after: string | undefined,
): Promise<Page<DeviceDetail>> {
  if (!filter) return { rows: [], next: undefined }
  const { storage, hubSince, verbs } = visit
  const { rows, next } = await readRows(visit, (page) => storage.lists.devices.page(filter, hubSince, page), {
    limit: ROWS,
    after,
  })
  const detailed = rows.map(async (row) => ({ ...row, abilities: await verbs.abilitiesOf(row) }))
  return { rows: await Promise.all(detailed), next }
}

function columnsIn(lang: Lang, now: number): readonly Column<DeviceDetail>[] {
  const number = (value: number | undefined) => value ?? ''
  const instant = (at: number | undefined) => (at === undefined ? '' : isoInstant(at))
  return [
    {
      name: 'serial',
      head: ['Serial', 'Số serial'],
      cell: ({ serial }) => html`<a class="serial" href="${devicePath(serial)}">${serial}</a>`,
      file: ({ serial }) => serial,
    },
    {
      name: 'state',
      head: ['State', 'Trạng thái'],
      cell: (device) => stateBadge(device, lang),
      file: (device) => stateOf(device),
    },
    {
      name: 'lastSeenAt',
      head: ['Last seen', 'Thấy lần cuối'],
      cell: (device) => lastSeen(device, now, lang),
      file: ({ lastSeenAt }) => instant(lastSeenAt),
    },
    {
      name: 'terminals',
      head: ['Shop', 'Cửa hàng'],
      cell: (device) => shops(device, lang),
      file: ({ stores }) => stores.map(({ terminalID }) => terminalID).join(' '),
    },
    {
      name: 'partnerClientId',
      head: ['Partner', 'Đối tác'],
      cell: ({ clientId }) =>
        clientId === undefined
          ? words(lang).none
          : html`<code title="${clientId}">${cut(clientId, 12)}</code>`,
      file: ({ clientId }) => clientId ?? '',
    },
    {
      name: 'battery',
      head: ['Battery', 'Pin'],
      cell: (device) => battery(device, lang),
      file: ({ health }) => number(health?.battery),
      isNumber: true,
    },
    {
      name: 'signal',
      head: ['Signal', 'Sóng'],
      cell: (device) => reading(device, READINGS.signal, lang),
      file: ({ health }) => number(health?.signal),
      isNumber: true,
    },
    {
      name: 'volume',
      head: ['Volume', 'Âm lượng'],
      cell: (device) => reading(device, READINGS.volume, lang),
      file: ({ health }) => number(health?.volume),
      isNumber: true,
    },
    {
      name: 'model',
      head: ['Model and firmware', 'Kiểu, phần mềm'],
      cell: (device) => modelOf(device) || never(lang),
      file: modelOf,
    },
    {
      name: 'reportedAt',
      head: ['Last report', 'Báo cáo'],
      cell: ({ health }) => ago(health?.reportedAt, now, lang),
      file: ({ health }) => instant(health?.reportedAt),
    },
    {
      name: 'dialect',
      head: ['Dialect', 'Giao thức'],
      cell: ({ dialect, profile }) =>
        profile === undefined || profile === dialect ? dialect : html`${dialect} <small>${profile}</small>`,
      file: ({ dialect }) => dialect,
    },
    {
      name: 'proof',
      head: ['Proof', 'Bằng chứng'],
      cell: ({ abilities }) =>
        html`${shortProofIn(lang)[abilities.proof]}${abilities.identity === 'weak' ? html` <small><span class="bad">${words(lang).weak}</span></small>` : ''}`,
      file: ({ abilities }) => abilities.proof,
    },
  ]
}

/** The speakers, those that were made last first. */
export const devicesPage: readonly PageRoute[] = [
  {
    method: 'GET',
    path: '/devices',
    role: 'viewer',
    async answer(visit) {
      const { c, lang, now } = visit
      const asked = askedFor(c, FIELDS, ['after'])
      const { after } = asked
      const filter = await filterOf(asked, visit)
      const { rows, next } = await read(
        visit,
        filter,
        after && CURSOR_PATTERN.test(after) ? after : undefined,
      )
      const columns = columnsIn(lang, now)
      if (wantsFile(c)) return fileOf(c, 'devices', columns, rows)
      return {
        title: words(lang).title,
        body: html`${listOf({
          ...{ lang, path: '/devices', asked, fields: FIELDS, columns, rows },
          next: next === undefined ? undefined : { after: next },
        })}${next !== undefined && rows.length < ROWS ? html`<p class="none">${words(lang).more}</p>` : ''}`,
      }
    },
  },
]
