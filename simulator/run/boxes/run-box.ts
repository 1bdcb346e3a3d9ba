import { Box } from '../../boxes/box.ts'
import type { BoxFault } from '../../boxes/core/faults.ts'
import type { BoxConfig } from '../../boxes/core/state.ts'
import { type BoxKind, FIRMWARE } from '../../boxes/kinds.ts'
import { CannotStart } from '../../platform/errors.ts'
import type { Host } from '../../platform/host.ts'
import { canDraw } from '../../screen/terminal.ts'
import { linePrinter } from '../headless/headless.ts'
import type { HeadlessChoice } from '../run-speaker.ts'
import { runBoxControl } from './control.ts'
import { type BoxPrintedLine, lineOf } from './printed-line.ts'

/** A box as the command line asks for it. */
export interface BoxRunOptions extends HeadlessChoice {
  kind: BoxKind
  url: string
  faults: readonly BoxFault[]
  config: BoxConfig
}

/** Runs a box until the first reason to stop. Throws `CannotStart` when its very first login is refused. */
export async function runBox(options: BoxRunOptions, host: Host): Promise<void> {
  const { kind, config, url, faults, control } = options
  const box = new Box({ firmware: FIRMWARE[kind], config, url, faults, stopWhenRefused: true })
  const reasons = [host.ended(), refusalOf(box)]
  const over = new AbortController()
  const view = await openBoxView(box, options, host)
  if (control) {
    const print = (line: BoxPrintedLine) => view.print(line)
    reasons.push(runBoxControl(box, host.stdin, { print, signal: over.signal }))
  }
  box.start()
  const failure = await Promise.race([...reasons, view.closed])
  over.abort()
  box.stop()
  await view.close()
  if (failure !== undefined) throw new CannotStart(failure)
}

interface BoxView {
  closed: Promise<undefined>
  print(line: BoxPrintedLine): void
  close(): Promise<void>
}

async function openBoxView(box: Box, options: BoxRunOptions, { stdout, stdin, env }: Host): Promise<BoxView> {
  if (!options.headless && canDraw(stdout, env.TERM)) {
    const { renderBox } = await import('../../boxes/screen/render.tsx')
    const screen = renderBox({ box, stdout, stdin })
    return { ...screen, print: () => undefined }
  }
  const print = linePrinter<BoxPrintedLine>((line) => stdout.write(line), options)
  const end = box.subscribe((item) => {
    const line = lineOf(item, options.packets)
    if (line) print(line, item.atMs)
  })
  return {
    closed: new Promise(() => {}),
    print: (line) => print(line, Date.now()),
    close: async () => end(),
  }
}

/** Resolves with a sentence when the very first login is refused. */
export function refusalOf(box: Box): Promise<string | undefined> {
  return new Promise((resolve) => {
    box.subscribe((item) => {
      if (item.kind === 'event' && item.event.event === 'refused' && item.event.retryInMs === undefined)
        resolve('The hub refused this box: check the serial, and the password or the secret.')
    })
  })
}
