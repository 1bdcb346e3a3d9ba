import { spawn } from 'node:child_process'

/** More in one sequence is dropped by some terminals: 100,000 characters, of which 99,992 are base64. */
export const MOST_COPIED_BYTES = 74_994

/** Where a text is copied to. */
export interface ClipboardOptions {
  /** The terminal. */
  write: (text: string) => unknown
  /** The value of TMUX; undefined or empty outside tmux. */
  tmux: string | undefined
}

/**
 * Copies a text to the clipboard of the terminal, also over SSH, by OSC 52. No terminal confirms it. Under tmux, tmux
 * itself is given the text, because its default settings ignore the sequence of a program.
 */
export async function copyToClipboard(text: string, { write, tmux }: ClipboardOptions): Promise<void> {
  const copied = tmux ? await copyByTmux(text) : false
  if (!copied) write(tmux ? throughTmux(clipboardSequence(text)) : clipboardSequence(text))
}

/** OSC 52: sets the clipboard to a text. */
export function clipboardSequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
}

/** A sequence that tmux passes on to its terminal, where `allow-passthrough` is on. */
function throughTmux(sequence: string): string {
  return `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`
}

/** Sets a buffer of tmux, which tmux sends on to the clipboard of its terminal; false when tmux did not take it. */
function copyByTmux(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const tmux = spawn('tmux', ['load-buffer', '-w', '-'], { stdio: ['pipe', 'ignore', 'ignore'] })
    tmux.once('error', () => resolve(false))
    tmux.once('exit', (code) => resolve(code === 0))
    // The exit code says it, too.
    tmux.stdin.on('error', () => undefined)
    tmux.stdin.end(text)
  })
}

/** The newest lines that fit into one copy, oldest first. */
export function newestThatFit(lines: readonly string[]): readonly string[] {
  let bytes = 0
  const from = lines.findLastIndex((line) => {
    bytes += Buffer.byteLength(line) + 1
    return bytes > MOST_COPIED_BYTES
  })
  return lines.slice(from + 1)
}
