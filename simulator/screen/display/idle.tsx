import { Box, Text } from 'ink'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import type { Area } from '../drawing/area.ts'
import { Lines } from '../drawing/lines.tsx'
import { cellsOf, printable, shortened, wrap } from '../drawing/text.ts'
import type { Theme } from '../drawing/theme.ts'
import { Band } from './band.tsx'
import { Centered } from './centered.tsx'
import { QrCode, type QrProps, qrRows } from './qr-code.tsx'
import type { Words } from './words.ts'

interface Props {
  name: string
  link: SpeakerSnapshot['link']
  audible: boolean
  words: Words
  theme: Theme
  qr: QrProps | undefined
  room: Area
}

/** The shop's name and its static QR, or a warning while offline: the shop must see it before a customer pays. */
export function IdleScreen({ name, link, audible, words, theme, qr, room }: Props) {
  const code = qr ? <QrCode {...qr} /> : undefined
  const warning =
    link === 'welcomed' ? undefined : (
      <OfflineWarning link={link} words={words} theme={theme} columns={room.columns} />
    )
  if (qr?.plan.fits) {
    const freeRows = room.rows - qrRows(qr)
    const names = warning ? [] : captionRows(name, words, room.columns, freeRows)
    return (
      <Centered room={room} height={Math.max(1, names.length) + qrRows(qr)}>
        {warning ?? <Caption rows={names} words={words} />}
        {code}
      </Centered>
    )
  }
  const names = nameRows(name, room.columns, Math.max(1, room.rows - (code ? 3 : 1)))
  return (
    <Centered room={room} height={names.length + (code ? 3 : 1)}>
      <Lines rows={names} bold />
      {warning ?? <Text wrap="truncate">{audible ? words.ready : words.silent}</Text>}
      {code ? <Box marginTop={1}>{code}</Box> : undefined}
    </Centered>
  )
}

/** Rows of a name at most: a longer one is no name. */
const MOST_NAME_ROWS = 3

/** A name in whole words, in at most `most` rows; only what does not fit in these is cut. */
function nameRows(name: string, columns: number, most: number): string[] {
  const rows = wrap(printable(name), columns)
  const allowed = Math.min(MOST_NAME_ROWS, most)
  if (rows.length <= allowed) return rows
  return [...rows.slice(0, allowed - 1), shortened(rows.slice(allowed - 1).join(' '), columns)]
}

/** The name above the QR, and the instruction: in one row if they fit, else in as many as are free. */
function captionRows(name: string, words: Words, columns: number, freeRows: number): string[] {
  const scan = ` · ${words.scan}`
  if (freeRows < 2 || cellsOf(printable(name) + scan) <= columns)
    return [shortened(printable(name), columns - cellsOf(scan)) + scan]
  return [...nameRows(name, columns, freeRows - 1), words.scan]
}

function Caption({ rows, words }: { rows: readonly string[]; words: Words }) {
  return rows.map((row, index) => {
    const at = row.lastIndexOf(words.scan)
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
      <Text key={index} wrap="truncate">
        <Text bold>{at < 0 ? row : row.slice(0, at)}</Text>
        {at < 0 ? '' : row.slice(at)}
      </Text>
    )
  })
}

type Warning = Pick<Props, 'link' | 'words' | 'theme'> & { columns: number }

/** Says the same as the light of the line; without a line, on a band. */
function OfflineWarning({ link, words, theme, columns }: Warning) {
  const isOffline = link === 'offline'
  const state = isOffline ? `✕ ${words.noNetwork}` : `◌ ${words.connecting}`
  const whole = `${state} · ${words.silent}`
  const text = cellsOf(whole) <= columns ? whole : `${state} · ${words.silentShort}`
  if (isOffline) return <Band text={text} columns={columns} theme={theme} meaning="bad" />
  return (
    <Text bold wrap="truncate">
      {text}
    </Text>
  )
}
