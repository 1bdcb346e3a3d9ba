import { SIGNED_FIELDS, type UnsetFields } from '../checksum-vectors.ts'
import { temporaryFolder } from '../folder.ts'
import { type Language, readSample, runProgram } from './samples.ts'

interface Program {
  text: string
  stdin?: string
}

const asJson = (key: string, cases: readonly UnsetFields[]) => JSON.stringify({ key, cases })

/** For each language, a program that prints a line for each case: the digest and the canonical string. */
const PROGRAMS: Record<string, (key: string, cases: readonly UnsetFields[]) => Program> = {
  mjs: (key, cases) => ({
    text: `import { readFileSync } from 'node:fs'
import { canonical, checksum } from './hub.mjs'
const { key, cases } = JSON.parse(readFileSync(0, 'utf8'))
for (const fields of cases) console.log(checksum(fields, key), canonical(fields))
`,
    stdin: asJson(key, cases),
  }),

  mts: (key, cases) => ({
    text: `import { readFileSync } from 'node:fs'
import { canonical, checksum } from 'soundbox-hub-client'
const { key, cases } = JSON.parse(readFileSync(0, 'utf8'))
for (const fields of cases) console.log(await checksum(fields, key), canonical(fields))
`,
    stdin: asJson(key, cases),
  }),

  py: (key, cases) => ({
    text: `import json
import sys
from hub import canonical, checksum
given = json.loads(sys.stdin.buffer.read())
for fields in given["cases"]:
    print(checksum(fields, given["key"]), canonical(fields))
`,
    stdin: asJson(key, cases),
  }),

  php: (key, cases) => ({
    text: `<?php
require __DIR__ . '/hub.php';
['key' => $key, 'cases' => $cases] = json_decode(stream_get_contents(STDIN), true);
foreach ($cases as $fields) {
    echo checksum($fields, $key), ' ', canonical($fields), PHP_EOL;
}
`,
    stdin: asJson(key, cases),
  }),

  java(key, cases) {
    // The standard library reads no JSON: a case is a line of name:base64 pairs, and a null is a name alone.
    const written = (name: string, value: string | null) =>
      value === null ? name : `${name}:${Buffer.from(value).toString('base64')}`
    const lines = cases.map((fields) =>
      SIGNED_FIELDS.flatMap((name) => {
        const value = fields[name]
        return value === undefined ? [] : [written(name, value)]
      }).join(' '),
    )
    const text = `import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

class Sign {
    public static void main(String[] args) throws Exception {
        for (String line : new String(System.in.readAllBytes()).split("\\n")) {
            Map<String, String> fields = new HashMap<>();
            for (String pair : line.split(" ")) {
                String[] parts = pair.split(":", -1);
                fields.put(parts[0], parts.length == 1 ? null
                    : new String(java.util.Base64.getDecoder().decode(parts[1]), StandardCharsets.UTF_8));
            }
            System.out.println(Hub.checksum(fields, ${JSON.stringify(key)}) + " " + Hub.canonical(fields));
        }
    }
}
`
    return { text, stdin: lines.join('\n') }
  },

  go: (key, cases) => ({
    text: `package main

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
`,
    stdin: asJson(key, cases),
  }),

  // curl has no shared file: the functions of its callback, up to the line that sets the payment.
  sh(key, cases) {
    const [functions = ''] = readSample('report_payment', { extension: 'sh' }).split(/^terminal_id=/m)
    const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
    // A shell has no null, so an unset field is an empty argument.
    const lines = cases.map((fields) => {
      const values = SIGNED_FIELDS.map((name) => quoted(fields[name] ?? '')).join(' ')
      return `echo "$(checksum ${quoted(key)} ${values}) $(canonical ${values})"`
    })
    return { text: `${functions}\n${lines.join('\n')}\n` }
  },
}

/** Signs each case with the functions of a language's samples. */
export async function signWithSample(language: Language, key: string, cases: readonly UnsetFields[]) {
  const program = PROGRAMS[language.extension]
  if (!program) throw new Error(`nothing asks ${language.name} for checksums`)
  const hub = readSample('hub', language)
  const { code, stdout, stderr } = await runProgram(language, temporaryFolder(), {
    ...{ name: 'sign', hub },
    ...program(key, cases),
  })
  if (code !== 0) throw new Error(`${language.name} ended with ${code}: ${stderr}`)
  return stdout
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => {
      const [hex, canonical] = line.split(' ')
      return { hex, canonical }
    })
}
