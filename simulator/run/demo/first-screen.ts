import type { WriteStream } from 'node:tty'
import { wordsOf } from '../../screen/display/words.ts'
import type { Area } from '../../screen/drawing/area.ts'
import { stillGrille } from '../../screen/drawing/grille.ts'
import { cellsOf, shortened, wrap } from '../../screen/drawing/text.ts'
import { layoutOf, SMALLEST } from '../../screen/layout/layout.ts'
import type { Layout } from '../../screen/layout/plans.ts'

/** What the demo shows while the rest of it is loaded. */
export interface FirstScreen {
  /** Leaves the terminal to a screen that draws over this one. */
  handOver(): void
  /** Gives the terminal back as it was; nothing after `handOver`. */
  close(): void
}

/** The part of the process that it needs. */
export interface Terminal {
  stdout: Pick<WriteStream, 'columns' | 'rows' | 'write'>
  on(event: 'exit' | 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown
  off(event: 'exit' | 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown
  exit(code: number): void
}

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[2J\u001b[H'
/** The next screen draws from the first cell. */
const CLEAR = '\u001b[H\u001b[J'
const LEAVE = '\u001b[?25h\u001b[?1049l'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** The exit code after a signal. */
const SIGNALLED = 130
const LINES = ['The demo starts:', 'a hub with its broker, a partner, and this speaker.']
const KEYS = ' Ctrl+C quit'

/** Draws the speaker without waiting for anything. */
export function openFirstScreen(serial: string, terminal: Terminal): FirstScreen {
  const { stdout } = terminal
  let isOpen = true
  const end = (last: string) => {
    if (!isOpen) return
    isOpen = false
    terminal.off('exit', close)
    for (const signal of SIGNALS) terminal.off(signal, quit)
    stdout.write(last)
  }
  const close = () => end(LEAVE)
  const quit = () => {
    close()
    terminal.exit(SIGNALLED)
  }
  terminal.on('exit', close)
  for (const signal of SIGNALS) terminal.on(signal, quit)
  stdout.write(ENTER + firstRows(serial, stdout).join('\r\n'))
  return { handOver: () => end(CLEAR), close }
}

/** The rows of the first screen: the parts are where the speaker's screen draws them. */
export function firstRows(serial: string, { columns, rows }: Area): string[] {
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return ['The demo starts…']
  const layout = layoutOf({
    columns,
    rows,
    display: { screen: 'connecting' },
    qrModules: undefined,
    zoomed: false,
  })
  const device = framed(layout.device.area, serial, [...displayRows(layout), ...panelRows(layout)])
  const { mode, log } = layout
  if (mode === 'side' && log) {
    const beside = framed(
      log,
      'what happens',
      LINES.flatMap((line) => wrap(line, log.columns - 4)),
    )
    return [...device.map((row, index) => row + (beside[index] ?? '')), KEYS]
  }
  const below = log ? LINES.map((line) => ` ${shortened(line, columns - 2)}`).slice(0, log.rows) : []
  const blank = Array.from({ length: Math.max(0, rows - 1 - device.length - below.length) }, () => '')
  return [...device, ...below, ...blank, KEYS]
}

/** The display within the device, which says in the speaker's language that it connects. */
function displayRows({ device: { screen, bordered } }: Layout): string[] {
  const inner = bordered ? screen.columns + 2 : screen.columns
  const text = wordsOf('vi').connecting
  const left = Math.max(0, Math.floor((screen.columns - cellsOf(text)) / 2))
  const middle = Math.floor((screen.rows - 1) / 2)
  const content = Array.from({ length: screen.rows }, (_, row) =>
    padded(row === middle ? ' '.repeat(left) + text : '', screen.columns),
  )
  if (!bordered) return content
  const edge = (start: string, end: string) => `${start}${'─'.repeat(inner - 2)}${end}`
  return [edge('┌', '┐'), ...content.map((row) => `│${row}│`), edge('└', '┘')]
}

/** The grille of the loudspeaker, where the terminal has room for it. */
function panelRows({ device: { panel } }: Layout): string[] {
  return panel.form === 'grille' ? stillGrille(panel.grilleRows, '•').map((row) => ` ${row}`) : []
}

function framed({ columns, rows }: Area, title: string, content: readonly string[]): string[] {
  const name = title === '' ? '' : ` ${title} `
  const body = Array.from({ length: rows - 2 }, (_, row) => `│ ${padded(content[row] ?? '', columns - 4)} │`)
  return [
    `╭─${name}${'─'.repeat(Math.max(0, columns - 3 - name.length))}╮`,
    ...body,
    `╰${'─'.repeat(columns - 2)}╯`,
  ]
}

function padded(text: string, columns: number): string {
  const cut = shortened(text, columns)
  return cut + ' '.repeat(columns - cellsOf(cut))
}
