import { type Cli, readCli } from '../../../../simulator/run/cli/cli.ts'

/** Parses arguments and captures the output. */
export function read(args: string[], env: NodeJS.ProcessEnv = {}): { cli: Cli; out: string; err: string } {
  const written = { out: '', err: '' }
  const cli = readCli(args, env, {
    out: (text) => {
      written.out += text
    },
    err: (text) => {
      written.err += text
    },
  })
  return { cli, ...written }
}
