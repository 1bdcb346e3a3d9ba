import type { Cast } from './cast.ts'

/** How a character looks. A colour is a number of the sixteen (0 to 15), or undefined for the terminal's own. */
export interface Style {
  bold: boolean
  dim: boolean
  /** Text in the colour of the background, on its own. */
  inverse: boolean
  colour: number | undefined
  background: number | undefined
}

export interface Cell {
  char: string
  style: Style
}

/** The screen from a moment on. */
export interface Frame {
  atS: number
  rows: Cell[][]
}

const PLAIN: Style = { bold: false, dim: false, inverse: false, colour: undefined, background: undefined }
/** An escape sequence with its parameters, a line break, or one character. */
const TOKEN = /\x1b\[([?0-9;]*)([A-Za-z])|\r|\n|[^\x1b]/gu

/** The screen after each write of a recording, from the first that draws to the one that leaves the screen. */
export function framesOf({ width, height, writes }: Cast): Frame[] {
  const terminal = createTerminal(width, height)
  const frames: Frame[] = []
  for (const { atS, text } of writes) {
    if (text.includes('\x1b[?1049l')) break
    terminal.write(text)
    const rows = terminal.rows()
    if (frames.length > 0 || rows.some((row) => row.some(({ char }) => char !== ' ')))
      frames.push({ atS, rows })
  }
  return frames
}

/** The part of a terminal that Ink uses. An unknown sequence throws: the picture would be wrong. */
function createTerminal(width: number, height: number) {
  const blank = (): Cell[] => Array.from({ length: width }, () => ({ char: ' ', style: PLAIN }))
  const screen = Array.from({ length: height }, blank)
  let [row, column] = [0, 0]
  let style = PLAIN

  function put(char: string) {
    const line = screen[row]
    if (line && column < width) line[column] = { char, style }
    column += 1
  }

  function clearBelow() {
    screen[row]?.splice(column, width, ...blank().slice(column))
    for (let below = row + 1; below < height; below += 1) screen[below] = blank()
  }

  function control(parameters: string, command: string) {
    const count = Number.parseInt(parameters, 10) || 1
    switch (command) {
      case 'A':
        row = Math.max(0, row - count)
        return
      case 'E':
        row = Math.min(height - 1, row + count)
        column = 0
        return
      case 'G':
        column = count - 1
        return
      case 'H':
        row = 0
        column = 0
        return
      case 'J':
        clearBelow()
        return
      case 'K':
        screen[row]?.splice(column, width, ...blank().slice(column))
        return
      case 'm':
        style = parameters.split(';').reduce(styled, style)
        return
      case 'h':
      case 'l':
        return
      default:
        throw new Error(`The recording has a control sequence that the picture does not know: ${command}`)
    }
  }

  return {
    write(text: string) {
      for (const [token, parameters, command] of text.matchAll(TOKEN)) {
        if (command !== undefined) control(parameters ?? '', command)
        else if (token === '\r') column = 0
        else if (token === '\n') {
          row = Math.min(height - 1, row + 1)
          column = 0
        } else put(token)
      }
    },
    rows: () => screen.map((line) => [...line]),
  }
}

function styled(style: Style, parameter: string): Style {
  const code = Number(parameter || 0)
  if (code === 0) return PLAIN
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 7 || code === 27) return { ...style, inverse: code === 7 }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 39) return { ...style, colour: undefined }
  if (code === 49) return { ...style, background: undefined }
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 }
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 }
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 }
  throw new Error(`The recording has a style that the picture does not know: ${code}`)
}
