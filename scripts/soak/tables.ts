import type { Row, Table } from '../../bench/benchmark.ts'
import type { SoakResult } from './soak.ts'

const MIB = 1024 * 1024
/** A status of HTTP. Everything else that is counted is the code of an error. */
const STATUS = /^\d{3}$/

/** What a page of the report shows of a soak in which nothing was lost. */
export function toTables (result: SoakResult, store: Row): Table[] {
  const { files, size, seconds, failures, commands, verified } = result

  return [
    {
      title: 'Files that were added through all nodes at the same time',
      rows: [{
        nodes: verified.length,
        files,
        MiB: inMib(size),
        seconds: Math.round(seconds),
        'MiB/s': Number((size / MIB / seconds).toPrecision(3)),
        'files/s': Math.round(files / seconds),
        'adds that were run again': failures.length
      }]
    },
    {
      title: 'What `ipfsz verify --all` found whole on each node, all at the same time. Nothing was lost or damaged',
      rows: verified.toSorted((a, b) => a.node.localeCompare(b.node)).map(({ node, trees, files, size, seconds }) =>
        ({ node, trees, files, MiB: inMib(size), seconds: Math.round(seconds) }))
    },
    {
      title: 'The commands, and how the store answered them. What failed was sent again',
      rows: [...commands].map(([command, { runs, seconds, memory, requests }]) => ({
        command,
        processes: runs,
        'seconds together': Math.round(seconds),
        'most MiB of a process': inMib(memory),
        answers: listOf(requests, true),
        errors: listOf(requests, false)
      }))
    },
    { title: 'The store at the end', rows: [store] }
  ]
}

function listOf (requests: Record<string, number>, statuses: boolean): string {
  const found = Object.entries(requests).filter(([what]) => STATUS.test(what) === statuses)

  return found.map(([what, count]) => `${what}: ${count}`).join(', ') || '-'
}

function inMib (bytes: number): number {
  return Math.round(bytes / MIB)
}
