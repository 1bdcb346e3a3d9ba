import type { StoreLists, StoreRecords, StoreReport } from '../../stores/ports.ts'
import type { StorageRules } from '../rules.ts'
import { type Act, type Engine, row, rows } from './act.ts'

/** Shops whose words one act writes. */
const WRITTEN = 200
/** Names that one search compares: of the word that the fewest shops have. */
const COMPARED = 500
/** Above every character. */
const END = '\u{10ffff}'

const inRange = (name: 'word' | 'w.word', from: number) => `${name} >= $${from} AND ${name} < $${from + 1}`
const rangeOf = (prefix: string) => [prefix, `${prefix}${END}`]

type Words = (name: string) => string[]

interface Candidate {
  number: number
  storeName: string
  clientId: string
}

/**
 * Finds shops by the words of their names. The words are written in the background: an act that registers a shop only
 * notes that its name is due. What is due is compared as well, so that a new shop is found at once.
 */
export function createStoreNames(engine: Engine, { plainName }: Pick<StorageRules, 'plainName'>) {
  const { reading, writing, among, perRow, skipLocked, ifGiven } = engine
  const words: Words = (name) => [...new Set(plainName(name).match(/[\p{L}\p{N}]+/gu) ?? [])]
  const whole = (name: string) => ` ${(plainName(name).match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')}`
  const add = perRow(
    'stores.addWord',
    { word: 'text', number: 'bigint' },
    (one, { from }) =>
      `INSERT INTO store_words (word, store_number) SELECT ${one.word}, ${one.number} ${from}`,
  )

  const indexNames: StoreRecords['indexNames'] = writing(function* () {
    const due = yield* rows<Pick<Candidate, 'number' | 'storeName'>>(
      'stores.namesDue',
      `SELECT d.store_number AS number, s.store_name AS "storeName"
       FROM (SELECT store_number FROM store_names_due ORDER BY store_number LIMIT ${WRITTEN} ${skipLocked}) d
       JOIN stores s ON s.number = d.store_number`,
    )
    if (due.length === 0) return false
    const numbers = [due.map(({ number }) => number)]
    for (const table of ['store_words', 'store_names_due'])
      yield* rows(
        `stores.forget ${table}`,
        `DELETE FROM ${table} WHERE ${among('store_number', '$1', 'bigint')}`,
        numbers,
      )
    yield* add(
      due.flatMap(({ number, storeName }) =>
        [...words(storeName), whole(storeName)].map((word) => ({ word: word.slice(0, 200), number })),
      ),
    )
    return due.length === WRITTEN
  })

  /** The numbers of the shops with a terminal, and else of those with such a name. */
  function* numbersOf(text: string, clientId: string | undefined, limit: number): Act<number[]> {
    const ofTerminal = yield* rows<{ number: number }>(
      'stores.ofAnyTerminal',
      // SQLite joins tables of a CROSS JOIN in their order.
      `SELECT s.number FROM partners CROSS JOIN stores s
       WHERE s.client_id = partners.client_id AND s.terminal_id = $1 AND ${ifGiven(clientId, '$2', 'text', 'partners.client_id = $2')}
       LIMIT $3`,
      [text, clientId, limit],
    )
    if (ofTerminal.length > 0) return ofTerminal.map(({ number }) => number)
    const wanted = words(text)
    if (wanted.length === 0) return []
    const due = yield* rows<Candidate>(
      'stores.namesNotWritten',
      `SELECT s.number, s.store_name AS "storeName", s.client_id AS "clientId"
       FROM (SELECT store_number FROM store_names_due ORDER BY store_number DESC LIMIT ${COMPARED}) d
       JOIN stores s ON s.number = d.store_number`,
    )
    const fits = ({ storeName, clientId: owner }: Candidate) => {
      const own = words(storeName)
      return (clientId ?? owner) === owner && wanted.every((word) => own.some((one) => one.startsWith(word)))
    }
    const isDue = new Set(due.map(({ number }) => number))
    const written = [...(yield* candidates(whole(text))), ...(yield* candidates(yield* rarest(wanted)))]
    const found = [...due, ...written.filter(({ number }) => !isDue.has(number))].filter(fits)
    return [...new Set(found.map(({ number }) => number))].slice(0, limit)
  }

  /** `read` reads the shops of these numbers. */
  const namedWith = (read: (numbers: number[]) => Act<StoreReport[]>): StoreLists['named'] =>
    reading(function* (text: string, { clientId, limit }) {
      return yield* read(yield* numbersOf(text, clientId, limit))
    })

  return { indexNames, namedWith }
}

/** The word of which the fewest shops have one that begins with it. */
function* rarest(wanted: readonly string[]): Act<string> {
  let [best = '', fewest] = [wanted[0], COMPARED + 1]
  for (const word of wanted) {
    const found = yield* row<{ count: number }>(
      'stores.countWord',
      `SELECT count(*) AS count FROM (SELECT 1 FROM store_words WHERE ${inRange('word', 1)} LIMIT ${COMPARED}) w`,
      rangeOf(word),
    )
    if ((found?.count ?? 0) < fewest) [best, fewest] = [word, found?.count ?? 0]
  }
  return best
}

function* candidates(prefix: string): Act<Candidate[]> {
  return yield* rows<Candidate>(
    'stores.ofWord',
    `SELECT s.number, s.store_name AS "storeName", s.client_id AS "clientId"
     FROM (SELECT DISTINCT store_number FROM (
       SELECT w.store_number FROM store_words w WHERE ${inRange('w.word', 1)}
       ORDER BY w.word, w.store_number LIMIT ${COMPARED}
     ) n) f JOIN stores s ON s.number = f.store_number`,
    rangeOf(prefix),
  )
}
