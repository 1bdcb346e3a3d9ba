import { Box, Text } from 'ink'
import type { Area } from '../drawing/area.ts'
import { cellsOf, printable, shortened } from '../drawing/text.ts'
import { paint, type Theme } from '../drawing/theme.ts'
import { Centered } from './centered.tsx'
import { QrCode, type QrProps, qrRows } from './qr-code.tsx'
import type { Words } from './words.ts'

interface Props {
  name: string
  online: boolean
  words: Words
  theme: Theme
  qr: QrProps | undefined
  room: Area
}

/** The shop's name and its static QR, or a warning while offline: the shop must see it before a customer pays. */
export function IdleScreen({ name, online, words, theme, qr, room }: Props) {
  const code = qr ? <QrCode {...qr} /> : undefined
  if (qr?.plan.fits)
    return (
      <Centered room={room} height={1 + qrRows(qr)}>
        {online ? (
          <Caption name={name} words={words} columns={room.columns} />
        ) : (
          <OfflineWarning words={words} theme={theme} columns={room.columns} />
        )}
        {code}
      </Centered>
    )
  return (
    <Centered room={room} height={code ? 4 : 2}>
      <Text bold wrap="truncate">
        {printable(name)}
      </Text>
      {online ? (
        <Text wrap="truncate">{words.ready}</Text>
      ) : (
        <OfflineWarning words={words} theme={theme} columns={room.columns} />
      )}
      {code ? <Box marginTop={1}>{code}</Box> : undefined}
    </Centered>
  )
}

/** Shortens a long name in favour of the instruction. */
function Caption({ name, words, columns }: { name: string; words: Words; columns: number }) {
  const scan = ` · ${words.scan}`
  return (
    <Text wrap="truncate">
      <Text bold>{shortened(printable(name), columns - cellsOf(scan))}</Text>
      {scan}
    </Text>
  )
}

function OfflineWarning({ words, theme, columns }: { words: Words; theme: Theme; columns: number }) {
  const fits = cellsOf(`✕ ${words.noNetwork} · ${words.silent}`) <= columns
  return (
    <Text bold wrap="truncate">
      <Text {...paint(theme, 'bad')}>✕</Text> {words.noNetwork} · {fits ? words.silent : words.silentShort}
    </Text>
  )
}
