import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { builtCDevice, builtCLine } from '../../protocol/c/build.ts'
import { idsIn, runKit } from '../../protocol/c/kit.ts'
import { buildPlanted } from '../../protocol/c/plants/build.ts'
import { IN_THE_CORE } from '../../protocol/c/plants/in-the-core.ts'
import { ON_THE_LINE } from '../../protocol/c/plants/on-the-line.ts'
import { temporaryFolder } from '../../support/folder.ts'

const all = [...IN_THE_CORE, ...ON_THE_LINE]
const filter = process.env.PLANTS ? new RegExp(process.env.PLANTS) : /./
const only = process.env.ONLY?.split(',')
describe('discover', { concurrent: true }, () => {
  it.for(all.filter((p) => filter.test(p.name)))('$name', async (plant, context) => {
    const folder = temporaryFolder(context.onTestFinished)
    const { device } = await (plant.isOverModem ? builtCLine() : builtCDevice())
    const program = buildPlanted(plant, device, folder)
    const caps = plant.isOverModem ? 'screen,speaker,qr,rekey' : 'screen,speaker,qr,rekey,update'
    const cases = only ?? [...new Set([...(plant.after ?? []), ...plant.finds])]
    const t = Date.now()
    const { cases: verdicts, errors } = await runKit(context, caps, cases, { program, serial: plant.serial, clipMs: plant.clipMs, patience: { answerMs: 8000, speechMs: 60000, reconnectMs: 30000 } })
    const ids = idsIn(verdicts)
    const found = ids('fail', 'warn')
    const lacks = plant.finds.filter((id) => !found.includes(id))
    appendFileSync('/work/wt/cplants-found.txt', `${lacks.length ? 'MISS' : 'ok'} | ${plant.name} | ${(Date.now() - t) / 1000}s | fail ${ids('fail').join(' ')} | warn ${ids('warn').join(' ')} | inc ${ids('inconclusive', 'not_run', 'error', 'skip').join(' ').slice(0, 200)} | lacks ${lacks.join(' ')} | ${errors.slice(0, 150).replaceAll('\n', ' ')}\n`)
    expect(lacks).toEqual([])
  })
})
