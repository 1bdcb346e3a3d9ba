/** An import from one group of files into another. */
export interface Edge {
  path: string
  imported: string
  from: string
  to: string
}

/** The shortest way from where an edge leads to where it begins. Undefined when there is none. */
function wayBack(edge: Edge, edges: readonly Edge[]): Edge[] | undefined {
  // A map also goes through what is added meanwhile.
  const ways = new Map<string, Edge[]>([[edge.to, []]])
  for (const [at, way] of ways) {
    if (at === edge.from) return way
    for (const next of edges) if (next.from === at && !ways.has(next.to)) ways.set(next.to, [...way, next])
  }
  return undefined
}

/** Leaves out, again and again, what nothing leads to or what leads nowhere: most edges are on no circle. */
function perhapsCircular(edges: readonly Edge[]): readonly Edge[] {
  const begins = new Set(edges.map(({ from }) => from))
  const ends = new Set(edges.map(({ to }) => to))
  const left = edges.filter(({ from, to }) => begins.has(to) && ends.has(from))
  return left.length === edges.length ? left : perhapsCircular(left)
}

/** The circles that edges make. Of those that share a step, only the shortest: one wrong import closes many. */
export function circlesOf(all: readonly Edge[]): Edge[][] {
  const edges = perhapsCircular(all)
  const circles = edges.flatMap((edge) => {
    const way = wayBack(edge, edges)
    return way ? [[edge, ...way]] : []
  })
  const named = new Set<string>()
  return circles
    .sort((a, b) => a.length - b.length)
    .filter((circle) => {
      const steps = circle.map(({ from, to }) => `${from} ${to}`)
      if (steps.some((step) => named.has(step))) return false
      for (const step of steps) named.add(step)
      return true
    })
}
