import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtCLine, type CLine, missingForCore } from '../../protocol/c/build.ts'
import * as line from './c/line.ts'
import { all, brief, connectionsIn, last, WELCOMED } from './c/line.ts'

/** What the driver asks on its way to the network. */
const WAY = ['AT', 'ATE0', 'AT+QICLOSE=0', 'AT+CPIN?', 'AT+CEREG?', 'AT+QIACT?']

describe.skipIf(missingForCore() !== undefined)('the driver of the modem', () => {
  let c: CLine
  beforeAll(async () => {
    c = await builtCLine()
  })
  const run = (...lines: string[]) => c.run([[`line ${line.KEY}`, 'random 1', ...lines]])[0] ?? []
  const commandsIn = (printed: line.Printed[]) =>
    String(last(all(printed, 'state')).commands)
      .split('|')
      .slice(0, -1)

  it('survives a fault at every byte and before every line of the modem, and never takes a wrong byte', () => {
    const { status, stdout, stderr } = spawnSync(c.faults, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    const sweeps = stdout
      .trim()
      .split('\n')
      .map((text) => Object(JSON.parse(text)))
    const names = [
      'none',
      'cut',
      'loss',
      'overrun',
      'stall',
      'hang',
      'restart',
      'quiet restart',
      'closed',
      'context',
      'device restarts',
    ]
    // Once for a plain socket, and once for the TLS of the module.
    expect(sweeps.map(({ fault }) => fault).filter((fault) => fault !== 'line')).toEqual([...names, ...names])
    for (const sweep of sweeps) expect(sweep).toMatchObject({ wrong: 0, unfinished: 0 })
    for (const { fault, runs, resets, reconnected, longestMs } of sweeps) {
      if (['none', 'line'].includes(fault)) expect([fault, reconnected, resets]).toEqual([fault, 0, 0])
      // Bytes that are left in the module are read at once, not when it is asked anyway.
      if (fault === 'none') expect(longestMs).toBeLessThan(1_000)
      // A restart that the modem tells is noticed at once; a quiet one when an answer does not come.
      if (fault === 'restart') expect(longestMs).toBeLessThan(20_000)
      // Only the reset line helps a modem that hangs.
      if (fault === 'hang') expect(resets).toBe(runs)
      // No command may take longer than the 150 s that the manual allows for a context.
      expect(longestMs).toBeLessThan(170_000)
    }
  })

  it('asks each step whether it is done, opens its socket, and reads the signal', () => {
    const printed = run('run 1000', 'state')
    expect(commandsIn(printed)).toEqual([
      ...[...WAY, 'AT+QIACT=1', 'AT+CSQ', "AT+QIOPEN=1,0,'TCP','hub.example',1883,0,0"],
      ...['AT+QISEND=0,148'],
    ])
    expect(last(printed)).toMatchObject({ signal: -73 })
  })

  it('has the module do TLS, and checks the certificate', () => {
    const [printed = []] = c.run([[`line ${line.KEY} ca.pem`, 'run 1000', 'state']])
    expect(commandsIn(printed)).toEqual(
      [
        ...WAY,
        'AT+QIACT=1',
        'TLS',
        'AT+CSQ',
        "AT+QSSLOPEN=1,1,0,'hub.example',1883,0",
        'AT+QSSLSEND=0,148',
      ].flatMap((one) =>
        one === 'TLS'
          ? [
              "AT+QSSLCFG='sslversion',1,4",
              "AT+QSSLCFG='seclevel',1,1",
              "AT+QSSLCFG='cacert',1,'ca.pem'",
              "AT+QSSLCFG='sni',1,1",
              "AT+QSSLCFG='checkhost',1,1",
            ]
          : one.replace('QICLOSE', 'QSSLCLOSE'),
      ),
    )
  })

  it('sb/1 18.9: does not connect when the module can not check the certificate', () => {
    const [printed = []] = c.run([[`line ${line.KEY} ca.pem`, 'no-ca', 'run 60000']])
    expect(all(printed, 'opened', 'no network')).toMatchObject([
      { is: 'no network', reason: 'no TLS settings' },
    ])
  })

  it('hears a hub whose bytes are never announced', () => {
    const [printed = []] = c.run([[`line ${line.KEY}`, 'random 1', 'silent', ...padded(WELCOMED.slice(2))]])
    expect(all(printed, 'connected', 'offline')).toMatchObject([{ is: 'connected' }])
  })

  it('sends again what a full module has not taken', () => {
    const printed = run('send-fails 5', 'run 3000')
    expect(connectionsIn(printed)[0]?.map(brief)).toEqual(['connect'])
    expect(all(printed, 'offline')).toEqual([])
  })

  it('gives up a connection whose prompt does not come, resets the modem, and connects again', () => {
    const printed = run('no-prompt', 'run 40000', 'state')
    expect(all(printed, 'offline')).toMatchObject([{ reason: 'no answer to AT+QISEND' }])
    // The module waits for data and takes the probes for them.
    expect(last(printed)).toMatchObject({ resets: 1 })
    expect(connectionsIn(printed).map((packets) => packets.map(brief))).toEqual([[], ['connect']])
  })

  it('finds within 6 s that its socket is gone without a word', () => {
    const printed = run('run 3000', 'vanish', 'run 6000')
    expect(all(printed, 'offline')).toMatchObject([{ reason: 'closed' }])
  })

  it('names the loss of its context, and activates it again', () => {
    const printed = run('run 3000', 'context-lost', 'run 8000')
    expect(all(printed, 'offline')).toMatchObject([{ reason: 'pdpdeact' }])
    expect(all(printed, 'opened')).toHaveLength(2)
  })

  it('tells that there is no SIM, resets the modem every 5 minutes, and goes on when there is one', () => {
    const printed = run('no-sim 1', 'run 650000', 'state', 'no-sim 0', 'run 30000')
    expect(all(printed, 'no network')).toMatchObject([{ reason: 'no SIM' }])
    expect(last(all(printed, 'state'))).toMatchObject({ resets: 2 })
    expect(all(printed, 'opened')).toHaveLength(1)
  })

  it('waits for the network, and tells that it does', () => {
    const printed = run('searches 30', 'run 90000')
    expect(all(printed, 'no network')).toMatchObject([{ reason: 'no network' }])
    expect(Number(all(printed, 'opened')[0]?.at)).toBeGreaterThan(60_000)
  })

  it('names the error of an attempt to connect, and resets the modem after twenty in a row', () => {
    const printed = run('random ff', 'open-error 566', 'run 700000', 'state', 'run 200000', 'state')
    expect(all(printed, 'offline')[0]).toMatchObject({ reason: 'QIOPEN: 0,566' })
    const attempts = all(printed, 'offline').map(({ at }) => Number(at))
    const [before, after] = all(printed, 'state')
    expect(attempts.filter((at) => at < Number(before?.at)).length).toBeLessThan(20)
    expect([before?.resets, after?.resets]).toEqual([0, 1])
  })
})

/** With time for a modem that is only asked every 5 s. */
const padded = (lines: string[]) => lines.map((one) => (one === 'run 1000' ? 'run 7000' : one))
