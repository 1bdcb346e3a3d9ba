/** A connection, and whose it is. */
interface Member {
  /** The partner of the last good token; a stranger's when undefined. */
  readonly clientId: string | undefined
}

/** The connections of one partner, or of all strangers. Both in the order in which they came to be so. */
interface Party<M> {
  /** Their next request has not been received as a whole: idle, or with slow headers or a slow body. */
  readonly unfinished: Set<M>
  /** Their request is received, and not answered yet. */
  readonly whole: Set<M>
}

/**
 * Says who gives way when there are too many connections: of the strangers, or of the partner that has the most, the one
 * that has been unfinished for longest. Partners beyond their share leave `kept` places to strangers: everybody is one
 * until a token is checked, and so is every health check.
 */
export function createParties<M extends Member>(kept: number) {
  const strangers = newParty<M>()
  const partners = new Map<string, Party<M>>()

  const partyOf = ({ clientId }: M) => (clientId === undefined ? strangers : partners.get(clientId))

  function largestPartner(): Party<M> | undefined {
    let largest: Party<M> | undefined
    // Nobody's last connection gives way.
    let most = 1
    for (const party of partners.values()) {
      if (sizeOf(party) <= most) continue
      most = sizeOf(party)
      largest = party
    }
    return largest
  }

  return {
    joins(member: M, isWhole = false) {
      const party = partyOf(member) ?? newParty<M>()
      if (member.clientId !== undefined) partners.set(member.clientId, party)
      ;(isWhole ? party.whole : party.unfinished).add(member)
    },
    /** True when its request was whole. */
    leaves(member: M): boolean {
      const party = partyOf(member)
      if (!party) return false
      party.unfinished.delete(member)
      const wasWhole = party.whole.delete(member)
      if (member.clientId !== undefined && sizeOf(party) === 0) partners.delete(member.clientId)
      return wasWhole
    },
    requestReceived(member: M) {
      const party = partyOf(member)
      if (party?.unfinished.delete(member)) party.whole.add(member)
    },
    /** From now on it is unfinished, behind all others. */
    startsOver(member: M) {
      const party = partyOf(member)
      if (party?.whole.delete(member) || party?.unfinished.delete(member)) party.unfinished.add(member)
    },
    nextToGiveWay(): M | undefined {
      const beyond = sizeOf(strangers) < kept ? largestPartner() : undefined
      const { unfinished, whole } = beyond ?? strangers
      const [first] = unfinished.size > 0 ? unfinished : whole
      return first
    },
  }
}

function newParty<M>(): Party<M> {
  return { unfinished: new Set(), whole: new Set() }
}

function sizeOf({ unfinished, whole }: Party<unknown>): number {
  return unfinished.size + whole.size
}
