import { Command } from 'commander'
import type { MergeOptions } from '../fleet/merge/command.ts'
import { type GivenThresholds, thresholdsIn, withExpectations } from './fleet-expectations.ts'

export function describeMerge(): Command {
  const command = new Command('simulator merge')
    .description('One report of several fleets that ran at the same time, in processes or on machines.')
    .argument('<files...>', 'their reports, as --report writes them')
    .option('--headless', 'no text: the report as one JSON object, also when the output is no terminal')
    .option('--report <file>', 'also write the report to this file')
    .option('--junit <file>', 'write the expectations as JUnit XML')
    .helpOption('-h, --help', 'show this')
  return withExpectations(command)
}

export function mergeOptionsOf(command: Command): MergeOptions {
  const given = command.opts<GivenThresholds & { headless?: boolean; report?: string; junit?: string }>()
  return {
    files: command.args,
    thresholds: thresholdsIn(given).map(({ threshold }) => threshold),
    headless: given.headless ?? false,
    reportFile: given.report,
    junitFile: given.junit,
  }
}
