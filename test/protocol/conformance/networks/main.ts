import { CLIPS_MS, NETWORKS, outcomeOf } from './runs.ts'

/** Prints the table of protocol/conformance/README.md: 20 runs of the kit on the simulated speaker over each network. */

const RUNS = 20

const lines = ['| Network | A clip takes | Passed | All decided | A run takes |', '|---|---|---|---|---|']
for (const network of NETWORKS)
  for (const msPerClip of CLIPS_MS) {
    const { passed, decided, meanS, faulty } = await outcomeOf(network, msPerClip, RUNS)
    lines.push(
      `| ${network.name} | ${msPerClip} ms | ${passed} of ${RUNS} | ${decided} of ${RUNS} | ${meanS} s |`,
    )
    if (faulty.length > 0) process.exitCode = 1
    for (const id of faulty) process.stderr.write(`${network.name}, ${msPerClip} ms: ${id}\n`)
  }
process.stdout.write(`${lines.join('\n')}\n`)
