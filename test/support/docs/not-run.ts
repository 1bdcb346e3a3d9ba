/** Commands of README and docs that no test runs, each with its reason. The fewer, the better. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'npm pack': 'test/whole/package/installed.test.ts packs and installs the package',
  'npm install': 'test/whole/package/installed.test.ts packs and installs the package',
  'npm ci': 'it would replace the packages that this test runs on',
  'npm test': 'this test would start itself',
  'npm run check': 'this test would start itself',
  'npm run check:long': 'it takes minutes; Vitest finds its files as those of the gate',
  'npx vitest': 'this test would start itself',
  'npm run types': 'it is a part of npm run check',
  'npm run format': 'it writes to the repository; npm run check looks whether it would',
  'npm run protocol:generate':
    'it writes to the repository; test/protocol/generated.test.ts holds its output',
  'npm run boxes:generate': 'it writes to the repository; test/server/dialects/boxes holds its output',
  'npm run simulator:generate': 'it writes to the repository; the tests of the schemas hold its output',
  'npm run clips:generate': 'it needs espeak-ng, and writes to the repository',
  'npm run picture:generate': 'it writes to the repository; the test of the picture holds its output',
  'npm run console:generate': 'it needs Chromium, and writes to the repository',
  'npm run bench': 'it takes minutes, and measures nothing beside other tests',
  'npm run -s conformance:networks':
    'takes minutes; test/long/protocol/conformance/networks.test.ts does the same',
  'npm run conformance:mutations':
    'test/long/protocol/conformance/mutations.test.ts makes and runs the same speakers',
  'npm run -s conformance -- --demo':
    'test/whole/protocol/conformance/demo.test.ts runs it, and looks at its report',
  'npm run traffic': 'it waits for whole keepalives, and needs ss of iproute2',
  'npm run demo -- --cluster': 'test/long/simulator/run/cluster/process.test.ts runs it with few speakers',
  'npm run firmware': 'it runs until somebody ends it; test/whole/protocol/firmware.test.ts starts it',
  'npm run soak': 'it waits for minutes until what it has sent is over',
  'git pull': 'a clone on a test machine has nowhere to pull from',
}

/** Long commands of the docs, and the shorter ones that are run in their place. */
export const RUN_INSTEAD: readonly { said: RegExp; run: string }[] = [
  { said: /^npm run simulate( -- --minutes 60)?$/, run: 'npm run simulate -- --seeds 2 --workers 1' },
  { said: /^npm run force( -- kill)?$/, run: 'npm run force -- --help' },
  { said: /^npm run attack( -- --only pipelining)?$/, run: 'npm run attack -- --help' },
  { said: /^npm run speech:image -- FILE$/, run: 'npm run speech:image -- --help' },
  { said: /^npm run fuzz -- 100000$/, run: 'npm run fuzz -- 30' },
  {
    said: /^npm run -s simulator -- --fleet 1000 --pay 50$/,
    run: 'npm run -s simulator -- --fleet --help',
  },
  { said: /^npm run -s simulator -- replay FILE$/, run: 'npm run -s simulator -- replay --help' },
  { said: /^npm run -s hub -- COMMAND$/, run: 'npm run -s hub -- --help' },
  { said: /^npm run -s (simulator|conformance) -- OPTIONS$/, run: 'npm run -s simulator -- --help' },
]

export function reasonNotToRun(command: string): string | undefined {
  return Object.entries(NOT_RUN).find(([left]) => command === left || command.startsWith(`${left} `))?.[1]
}

/** Shell functions that stand in for the commands that are not run. */
export function standIns(): string {
  const programs = Map.groupBy(Object.keys(NOT_RUN), (command) => command.split(' ')[0] ?? '')
  return [...programs]
    .map(([program, commands]) => {
      const patterns = commands.map((command) => {
        const args = command.slice(program.length + 1).replaceAll(' ', '\\ ')
        return `${args}|${args}\\ *`
      })
      return `${program}() { case "$*" in ${patterns.join('|')}) ;; *) command ${program} "$@" ;; esac; }`
    })
    .join('\n')
}
