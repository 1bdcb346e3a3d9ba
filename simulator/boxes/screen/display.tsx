import { Box, Text } from 'ink'
import { formatAmount } from '../../../protocol/money/amount.ts'
import { Centered } from '../../screen/display/centered.tsx'
import { QrCode, qrRows } from '../../screen/display/qr-code.tsx'
import { type Words, wordsOf } from '../../screen/display/words.ts'
import type { Area } from '../../screen/drawing/area.ts'
import { clockText } from '../../screen/drawing/clock-text.ts'
import { fittingDigits } from '../../screen/drawing/digits.ts'
import { Lines } from '../../screen/drawing/lines.tsx'
import type { QrMatrix } from '../../screen/drawing/qr.ts'
import { shortened, wrap } from '../../screen/drawing/text.ts'
import type { QrPlan } from '../../screen/layout/plans.ts'
import type { BoxSnapshot } from '../box.ts'
import { type BoxModel, qrOf } from './model.ts'

/** Phones want a light border of four modules, and read one of a single module. */
const QUIET_ZONES = [4, 3, 2, 1]
const KEYPAD_WORDS = {
  vi: { charge: 'Số tiền cần thu', enter: '↵ gửi' },
  en: { charge: 'Amount to charge', enter: '↵ send' },
}

/** The display of a box with a screen. */
export function Display({ model, room }: { model: BoxModel; room: Area }) {
  const { snapshot, colour } = model
  const matrix = qrOf(snapshot)
  const texts = textsOf(snapshot, room)
  const plan =
    matrix && planQr(matrix, { columns: room.columns, rows: room.rows - Math.min(2, texts.length) })
  const qr = matrix && plan?.fits ? { matrix, plan, colour, inverted: false } : undefined
  const rows = qr ? texts.filter((text) => !isDigits(text)).slice(0, room.rows - qrRows(qr)) : texts
  const hint = matrix && !qr ? ['(z: the QR alone)'] : []
  const shown = [...rows, ...hint].slice(0, room.rows)
  return (
    <Centered room={room} height={shown.length + (qr ? qrRows(qr) : 0)}>
      {qr ? <QrCode {...qr} /> : undefined}
      <Lines rows={shown} />
    </Centered>
  )
}

/** Only the QR of the display, as large as the terminal allows. */
export function BareQr({ model, room }: { model: BoxModel; room: Area }) {
  const matrix = qrOf(model.snapshot)
  if (!matrix) return <Text>there is no QR</Text>
  return (
    <Box flexDirection="column" alignItems="center" width={room.columns} height={room.rows} overflow="hidden">
      <QrCode matrix={matrix} plan={planQr(matrix, room)} colour={model.colour} inverted={false} />
    </Box>
  )
}

function planQr(matrix: QrMatrix, room: Area): QrPlan {
  const sizeWith = (quiet: number) => matrix.length + 2 * quiet
  const quiet = QUIET_ZONES.find(
    (zone) => sizeWith(zone) <= room.columns && Math.ceil(sizeWith(zone) / 2) <= room.rows,
  )
  if (quiet !== undefined) return { fits: true, quiet }
  const needs = { columns: sizeWith(1), rows: Math.ceil(sizeWith(1) / 2) }
  return { fits: false, needs, zoomHelps: false }
}

/** Rows of large digits are not text: a QR takes their place. */
const isDigits = (row: string) => /^[█▀▄ ]*$/.test(row)

function textsOf({ power, state, nowMs }: BoxSnapshot, room: Area): string[] {
  const words = wordsOf(state.config.lang)
  if (!power) return []
  const { screen, keypad, link } = state
  if (keypad.asked) return [words.connecting, '', ...moneyRows(keypad.asked.amount, room)]
  if (keypad.typed !== '') {
    const { charge, enter } = KEYPAD_WORDS[state.config.lang]
    return [`${charge} · ${enter}`, '', ...moneyRows(keypad.typed, room)]
  }
  const left = (untilMs: number) =>
    words.timeLeft(clockText(Math.max(0, Math.ceil((untilMs - nowMs) / 1000))))
  switch (screen.screen) {
    case 'code':
      return [
        words.code,
        '',
        ...digitRows(screen.code, room),
        '',
        `${screen.code} · ${left(screen.untilMs ?? nowMs)}`,
      ]
    case 'amount':
      return [`✓ ${words.received}`, '', ...moneyRows(screen.amount, room)]
    case 'qr':
      return [
        [screen.label, screen.untilMs === undefined ? '' : left(screen.untilMs)].filter(Boolean).join(' · '),
        ...(screen.amount === undefined ? [] : digitRows(screen.amount, room)),
        ...(screen.bill === '' ? [] : [`${words.bill} ${screen.bill}`]),
      ].map((text) => shortened(text, room.columns))
    case 'home':
      return link.phase === 'online'
        ? homeRows(state.home.lines, words, room)
        : linkRows(link, words, nowMs, room)
  }
}

function homeRows(lines: readonly string[], words: Words, room: Area): string[] {
  return (lines.length === 0 ? [words.ready] : lines).flatMap((line) => wrap(line, room.columns))
}

export function linkRows(
  link: BoxSnapshot['state']['link'],
  words: Words,
  nowMs: number,
  room: Area,
): string[] {
  if (link.phase !== 'offline') return [words.connecting]
  const { reason, retryAtMs } = link
  const retry =
    retryAtMs === undefined ? [] : [words.retry(Math.max(0, Math.ceil((retryAtMs - nowMs) / 1000)))]
  return [`✕ ${words.noNetwork}`, ...wrap(reason, room.columns), ...retry]
}

function moneyRows(amount: string, room: Area): string[] {
  return [...digitRows(amount, room), formatAmount(amount)]
}

/** Large digits with points between thousands; nothing when they do not fit. */
export function digitRows(digits: string, room: Area): string[] {
  const text = digits.length === 6 && digits.startsWith('0') ? digits : formatAmount(digits).replace(' đ', '')
  return fittingDigits(text, { columns: room.columns, rows: Math.max(0, room.rows - 4) }) ?? []
}
