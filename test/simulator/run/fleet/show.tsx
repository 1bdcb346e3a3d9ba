import { stripVTControlCharacters } from 'node:util'
import { render } from 'ink-testing-library'
import type { Run } from '../../../../simulator/run/fleet/run/run.ts'
import { FleetApp } from '../../../../simulator/run/fleet/view/fleet-app.tsx'
import { DrawCost } from '../../../../simulator/run/fleet/view/frames.ts'
import { Table } from '../../../../simulator/run/fleet/view/table.ts'
import { settle } from '../../../support/clock.ts'
import { SIZES } from '../../screen/model.ts'
import type { WoundClock } from '../../support/wound-clock.ts'

/** The fleet's screen in a terminal of a given size, with a manual clock. */
export async function show(run: Run, clock: WoundClock, size: { columns: number; rows: number } = SIZES[1]) {
  const screen = render(
    <FleetApp
      table={new Table(run, clock)}
      clock={clock}
      colour={false}
      tmux={undefined}
      cost={new DrawCost()}
    />,
  )
  Object.defineProperties(screen.stdout, { columns: { value: size.columns }, rows: { value: size.rows } })
  screen.stdout.emit('resize')
  const wind = async (ms: number) => {
    clock.wind(ms)
    await settle()
  }
  await settle()
  await wind(300)
  return {
    ...screen,
    wind,
    lines: () => stripVTControlCharacters(screen.lastFrame() ?? '').split('\n'),
    press: async (...keys: string[]) => {
      for (const key of keys) {
        screen.stdin.write(key)
        await settle()
      }
      await wind(200)
    },
  }
}
