import { spawnSync } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { guidePages, type Page } from '../../support/docs/markdown.ts'
import { RUN_INSTEAD, standIns } from '../../support/docs/not-run.ts'
import { type Background, createShell, type Shell } from '../../support/docs/shell.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** Blocks that run on, the line at which each is ready, and one that it says before the page is over. */
const RUNS_ON: readonly { block: RegExp; ready: RegExp; atEnd?: RegExp }[] = [
  {
    block: /^npm start$/m,
    ready: /"event":"ready","http":"(?<http>[^"]+)","mqtt":"(?<mqtt>[^"]+)".*"admin":"(?<admin>[^"]+)"/,
  },
  { block: /^npm run -s simulator -- --serial (?!.*--proof)/m, ready: /"event":"connected"/ },
  {
    block: /^npm run -s hub -- listen /m,
    ready: /"event":"listening".*"secret":"(?<secret>[^"]+)"/,
    // At the end, of the first event: the receiver has taken it.
    atEnd: /"event":"forwarded","id":"evt_\w+".*"status":204/,
  },
  { block: /receive\.mjs$/m, ready: /^Waiting for webhooks/m },
  { block: /^npm run -s conformance -- .*--key /m, ready: /waiting/i },
]
/** Signs that the commands of a page have done their work. */
const PRINTED: Readonly<Record<string, readonly RegExp[]>> = {
  'README.md': [/The hub has the proof/],
  'docs/architecture.md': [/^v24\./],
  'docs/console.md': [/\/login\?link=/],
  'docs/hardware.md': [/"serial":"LOT1-/, /mac\/no-mac/],
  'docs/operate.md': [/"ok":true/, /"status":"ready"/, /^hub_outbox_open /m],
  'docs/partners.md': [
    /"ftCode":"FT-0001".*"deviceSerial":"SHOP-0001"/,
    /"matches":true/,
    /^0123456789,matched,1,85000,0,1,85000,true,/m,
  ],
  'docs/phone.md': [/\/speaker#serial=/],
  'docs/phone.vi.md': [/\/speaker#serial=/],
  'docs/scale.md': [/"verdict":"several hubs on PostgreSQL"/],
  'docs/voices.md': [/is a good pack/],
}

/** Refusals of the hub fail a block, as a reader would see them. */
const PRELUDE = `${standIns()}\ncurl() { command curl --fail-with-body "$@"; }`

class Reader {
  readonly #shell: Shell
  readonly #running: { code: string; process: Background }[] = []

  constructor(shell: Shell) {
    this.#shell = shell
  }

  /** Does what a block says; returns what it has printed. */
  async follow(code: string): Promise<string> {
    if (code.startsWith('# with the hub stopped\n')) await this.#stop(/^npm start$/m)
    const runsOn = RUNS_ON.find(({ block }) => block.test(code))
    if (runsOn) return this.#start(code, runsOn.ready)
    const input = /^read -r CODE/m.test(code) ? `${await this.#codeOnScreen()}\n` : ''
    const { code: exitCode, stdout, stderr } = await this.#shell.run(code, input)
    expect({ code: exitCode, stdout, stderr }, code).toMatchObject({ code: 0 })
    return stdout
  }

  async #start(code: string, ready: RegExp): Promise<string> {
    const process = this.#shell.start(code)
    this.#running.push({ code, process })
    onTestFinished(() => process.stop())
    const { groups } = await process.says(ready)
    if (groups?.http) this.#shell.replace('http://127.0.0.1:8080', groups.http)
    if (groups?.admin) this.#shell.replace('http://127.0.0.1:8081', groups.admin)
    if (groups?.mqtt) this.#shell.replace('mqtt://127.0.0.1:1883', groups.mqtt)
    if (groups?.secret) this.#shell.replace('whsec_…', groups.secret)
    return process.stdout()
  }

  /** Waits for what the running blocks still have to say. */
  async finish() {
    for (const { code, process } of this.#running) {
      const expected = RUNS_ON.find(({ block }) => block.test(code))?.atEnd
      if (expected) await process.says(expected)
    }
  }

  async #stop(block: RegExp) {
    for (const { code, process } of this.#running) if (block.test(code)) await process.stop()
  }

  async #codeOnScreen(): Promise<string> {
    const speaker = this.#running.find(({ code }) => code.includes('simulator'))
    if (!speaker) throw new Error('no speaker runs that could show a code')
    const match = await speaker.process.says(/"event":"code","code":"(\d{6})"/)
    return match[1] ?? ''
  }
}

/** What a Unix-like system has; without them the commands can't be run as they are written. */
const missing = ['bash', 'curl', 'openssl'].some((name) => spawnSync(name, ['--version']).error !== undefined)

const shell = () => createShell(temporaryFolder(), PRELUDE)
const blocksOf = ({ fences }: Page) => fences.filter(({ language }) => language === 'sh')
const pages = guidePages().filter((page) => blocksOf(page).length > 0)

describe.skipIf(missing)('the commands in blocks of README and docs', () => {
  it.each(pages)('work as they are written, one after another: $path', async (page) => {
    const reader = new Reader(await shell())
    let printed = ''
    for (const { code } of blocksOf(page)) printed += await reader.follow(code)
    await reader.finish()
    for (const sign of PRINTED[page.path] ?? []) expect(printed).toMatch(sign)
  })

  it('are on the pages that are for doing', () => {
    expect(pages.map(({ path }) => path)).toEqual(Object.keys(PRINTED))
  })
})

describe.skipIf(missing)('the commands within the lines of README and docs', () => {
  const spans = guidePages().flatMap((page) => page.spans)
  const asked = spans.filter((span) => /^npm .*--help$/.test(span))
  it.each([...new Set([...asked, ...RUN_INSTEAD.map(({ run }) => run)])])('work: %s', async (command) => {
    const { run } = await shell()
    expect(await run(command)).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) })
  })
})

describe.skipIf(missing)('the shell of these tests', () => {
  it('keeps variables from one block to the next', async () => {
    const { run } = await shell()
    await run('NAME=$(echo "two words")')
    expect(await run('echo "$NAME"')).toEqual({ code: 0, stdout: 'two words\n', stderr: '' })
  })

  it.each(['npm run -s hub -- no-such-command', 'curl -s http://127.0.0.1:9/', 'false | cat', 'echo $UNSET'])(
    'fails where a command fails: %s',
    async (code) => {
      const { run } = await shell()
      expect((await run(`${code}\n`)).code).not.toBe(0)
    },
  )
})
