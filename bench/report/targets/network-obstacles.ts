import { BARE, BARE_FROM_KUBO } from '../../support/network/command-sides.ts'
import { find, numberOf, rowsOf } from '../rows.ts'
import { brief } from '../words.ts'
import { OWN, siteRows } from './sites.ts'
import type { Results } from '../rows.ts'
import type { Obstacle } from './obstacle.ts'

export const networkObstacles: readonly Obstacle[] = [
  { of: /over 1000 Mbit\/s.*: times the floor/, lines: overFastLinks },
  {
    of: /^ipfsz, shared directory.*, write: /,
    lines: inSites(
      '**write to a directory that nodes share**: IPFSz compresses, and syncs what it acknowledges. Kubo syncs no ' +
      'blocks by default: with syncs it takes 1.5 times as long'
    )
  },
  {
    of: /shared directory.*, write by a command: /,
    lines: inSites(
      '**write by a command to a directory that nodes share**: `ipfsz add` starts a process of Node, and one that ' +
      "only writes the same blocks takes as long as Kubo's whole command"
    )
  },
  {
    of: /shared directory.*, read in the site, half of it/,
    lines: inSites(
      '**read in the site**: what a node itself takes is a millisecond for 256 KiB. The rest is its client, and the ' +
      'wait for two processors that six nodes share'
    )
  },
  {
    of: /shared directory.*, read in the site: MB between sites/,
    lines: inSites(
      '**MB between sites**: no block is sent. libp2p pings each connection every 30 s, some 30 kB for all of them, ' +
      'and a burst of pings may fall into a read'
    )
  }
]

function overFastLinks (results: Results): string[] {
  return [2, 50].flatMap(roundTrip => {
    const times = [BARE, BARE_FROM_KUBO].flatMap(side => numberOf(
      find(rowsOf(results, 'network'), { 'Mbit/s': 1000, 'round trip, ms': roundTrip, side }),
      'times the floor'
    ) ?? [])

    return times.length === 0 ? [] : [
      `**fetch over 1 Gbit/s and ${roundTrip} ms**: a Node program that fetches, checks and decompresses the same, ` +
      `and stores nothing, takes ${times.map(brief).join(' and ')} times the floor, from ipfsz gateway and from ` +
      "Kubo's. The gateway and the link take their share of the same two cores"
    ]
  })
}

/** A line about sites, if they were measured. */
function inSites (line: string): Obstacle['lines'] {
  return results => find(siteRows(results), { side: OWN }) == null ? [] : [line]
}
