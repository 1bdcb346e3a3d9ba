import { SIGNED_FIELDS, type UnsetFields } from '../checksum-vectors.ts'
import { temporaryFolder } from '../folder.ts'
import { type Language, readSample, runProgram } from './samples.ts'

interface Program {
  programs: Record<string, string>
  stdin?: string
}

/** The functions of a callback sample: its text up to the line that sends a payment. */
function functionsOf(sample: string, begin: RegExp): string {
  const at = sample.search(begin)
  if (at < 0) throw new Error(`the sample has no ${begin}`)
  return sample.slice(0, at)
}

const asJson = (key: string, cases: readonly UnsetFields[]) => JSON.stringify({ key, cases })

/** For each language, a program that prints a line for each case: the digest and the canonical string. */
const PROGRAMS: Record<string, (sample: string, key: string, cases: readonly UnsetFields[]) => Program> = {
  sh(sample, key, cases) {
    const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
    // A shell has no null, so an unset field is an empty argument.
    const lines = cases.map((fields) => {
      const values = SIGNED_FIELDS.map((name) => quoted(fields[name] ?? '')).join(' ')
      return `echo "$(checksum ${quoted(key)} ${values}) $(canonical ${values})"`
    })
    return { programs: { sign: `${functionsOf(sample, /^terminal_id=/m)}\n${lines.join('\n')}\n` } }
  },

  mjs: (sample, key, cases) => ({
    programs: {
      sign: `${functionsOf(sample, /^const payment = /m)}
import { readFileSync } from 'node:fs'
const { key, cases } = JSON.parse(readFileSync(0, 'utf8'))
for (const fields of cases) console.log(checksum(fields, key), canonical(fields))
`,
    },
    stdin: asJson(key, cases),
  }),

  py: (sample, key, cases) => ({
    programs: {
      sign: `${functionsOf(sample, /^payment = /m)}
given = json.loads(sys.stdin.buffer.read())
for fields in given["cases"]:
    print(checksum(fields, given["key"]), canonical(fields))
`,
    },
    stdin: asJson(key, cases),
  }),

  php: (sample, key, cases) => ({
    programs: {
      sign: `${functionsOf(sample, /^\$payment = /m)}
['key' => $key, 'cases' => $cases] = json_decode(stream_get_contents(STDIN), true);
foreach ($cases as $fields) {
    echo checksum($fields, $key), ' ', canonical($fields), PHP_EOL;
}
`,
    },
    stdin: asJson(key, cases),
  }),

  java(sample, key, cases) {
    // The standard library reads no JSON: a case is a line of name:base64 pairs, and a null is a name alone.
    const written = (name: string, value: string | null) =>
      value === null ? name : `${name}:${Buffer.from(value).toString('base64')}`
    const lines = cases.map((fields) =>
      SIGNED_FIELDS.flatMap((name) => {
        const value = fields[name]
        return value === undefined ? [] : [written(name, value)]
      }).join(' '),
    )
    // Java runs the first class of a file.
    const reader = `class Sign {
    public static void main(String[] args) throws Exception {
        for (String line : new String(System.in.readAllBytes()).split("\\n")) {
            Map<String, String> fields = new LinkedHashMap<>();
            for (String pair : line.split(" ")) {
                String[] parts = pair.split(":", -1);
                fields.put(parts[0], parts.length == 1 ? null
                    : new String(java.util.Base64.getDecoder().decode(parts[1]), StandardCharsets.UTF_8));
            }
            System.out.println(Callback.checksum(fields, ${JSON.stringify(key)}) + " " + Callback.canonical(fields));
        }
    }
}

class Callback {`
    return { programs: { sign: sample.replace('class Callback {', () => reader) }, stdin: lines.join('\n') }
  },

  go(sample, key, cases) {
    const reader = `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	var given struct {
		Key   string
		Cases []map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	for _, fields := range given.Cases {
		fmt.Println(checksum(fields, given.Key), canonical(fields))
	}
}
`
    const functions = sample.replace('func main() {', 'func send() {')
    return { programs: { sign: reader, callback: functions }, stdin: asJson(key, cases) }
  },
}

/** Runs the functions of a language's callback sample on each case. */
export async function signWithSample(language: Language, key: string, cases: readonly UnsetFields[]) {
  const program = PROGRAMS[language.extension]
  if (!program) throw new Error(`nothing asks ${language.name} for checksums`)
  const { programs, stdin } = program(readSample('callback', language), key, cases)
  const { code, stdout, stderr } = await runProgram(language, temporaryFolder(), programs, stdin)
  if (code !== 0) throw new Error(`${language.name} ended with ${code}: ${stderr}`)
  return stdout
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => {
      const [hex, canonical] = line.split(' ')
      return { hex, canonical }
    })
}
