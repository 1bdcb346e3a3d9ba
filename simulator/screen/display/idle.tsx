import { Box, Text } from 'ink'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import type { Area } from '../drawing/area.ts'
import { cellsOf, printable, shortened } from '../drawing/text.ts'
import { paint, type Theme } from '../drawing/theme.ts'
import { Centered } from './centered.tsx'
import { QrCode, type QrProps, qrRows } from './qr-code.tsx'
import type { Words } from './words.ts'

interface Props {
  name: string
  link: SpeakerSnapshot['link']
  words: Words
  theme: Theme
  qr: QrProps | undefined
  room: Area
}

/** The shop's name and its static QR, or a warning while offline: the shop must see it before a customer pays. */
export function IdleScreen({ name, link, words, theme, qr, room }: Props) {
  const code = qr ? <QrCode {...qr} /> : undefined
  if (qr?.plan.fits)
    return (
      <Centered room={room} height={1 + qrRows(qr)}>
        {link === 'welcomed' ? (
          <Caption name={name} words={words} columns={room.columns} />
        ) : (
          <OfflineWarning link={link} words={words} theme={theme} columns={room.columns} />
        )}
        {code}
      </Centered>
    )
  return (
    <Centered room={room} height={code ? 4 : 2}>
      <Text bold wrap="truncate">
        {printable(name)}
      </Text>
      {link === 'welcomed' ? (
        <Text wrap="truncate">{words.ready}</Text>
      ) : (
        <OfflineWarning link={link} words={words} theme={theme} columns={room.columns} />
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

type Warning = Pick<Props, 'link' | 'words' | 'theme'> & { columns: number }

/** Says the same as the light of the line. */
function OfflineWarning({ link, words, theme, columns }: Warning) {
  const isOffline = link === 'offline'
  const [sign, state] = isOffline ? ['✕', words.noNetwork] : ['◌', words.connecting]
  const fits = cellsOf(`${sign} ${state} · ${words.silent}`) <= columns
  return (
    <Text bold wrap="truncate">
      <Text {...paint(theme, isOffline ? 'bad' : 'plain')}>{sign}</Text> {state} ·{' '}
      {fits ? words.silent : words.silentShort}
    </Text>
  )
}
