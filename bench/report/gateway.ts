import { KUBO, OURS } from '../support/gateway/sides.ts'
import { extremes, NOISE } from './loss.ts'
import { find, numberOf, rowsOf } from './rows.ts'
import { line, range, some } from './words.ts'
import type { Row } from '../benchmark.ts'
import type { Loss } from './loss.ts'
import type { Results } from './rows.ts'

/** From this size, in MB, the gateway should be at least as fast as Kubo's. */
export const LEAST_SIZE = 0.1

const RATE = 'times Kubo\'s rate'
const CPU = 'times Kubo\'s CPU'

/** Our rows of files that compress, and that Kubo was measured with too. */
export function gatewayRows (results: Results): Row[] {
  return rowsOf(results, 'gateway').filter(row => isOurs(row) && row.file === 'text' && numberOf(row, RATE) != null)
}

/** The worst rate, and the most processor time, against Kubo, of files from `LEAST_SIZE`. */
export function gatewayWorst (results: Results): { rate: number | undefined, cpu: number | undefined } {
  const rows = gatewayRows(results).filter(row => Number(row.MB) >= LEAST_SIZE)
  const [rates, cpus] = [RATE, CPU].map(column => rows.flatMap(row => numberOf(row, column) ?? []))

  return {
    rate: rates.length === 0 ? undefined : Math.min(...rates),
    cpu: cpus.length === 0 ? undefined : Math.max(...cpus)
  }
}

/** A line for the summary. */
export function gateway (results: Results): string[] {
  const rows = gatewayRows(results).filter(row => Number(row.MB) >= LEAST_SIZE)
  const [rates, cpus] = [RATE, CPU].map(column => range(rows.flatMap(row => numberOf(row, column) ?? [])))

  return rates == null || cpus == null ? [] : line('Serving compressed files over HTTP', 'gateway', [
    `\`ipfsz gateway\` answers ${rates} times as many requests a second as Kubo's gateway, with ${cpus} times the ` +
    'processor time, for files of 100 KB to 100 MB'
  ])
}

/** What nginx and Kubo do better, for the groups of losses. */
export function gatewayLosses (results: Results): string[] {
  return line('Serving over HTTP', 'gateway', [
    ...some(beaten(results, 'nginx'), times => `${times} as many requests a second as ipfsz from nginx`),
    ...some(beaten(results, KUBO), times => `${times} as many from Kubo's gateway`)
  ])
}

/** Every row in which another server is faster, or takes less processor time. */
export function fromGateway (results: Results): string[] {
  const rows = rowsOf(results, 'gateway')
  const ours = rows.filter(isOurs)

  return [...new Set(rows.filter(row => !isOurs(row)).map(({ side }) => String(side)))].flatMap(side => {
    const losses = (column: string, isWorse: (ours: number, theirs: number) => boolean): Loss[] => ours.flatMap(row => {
      const [own, their] = [numberOf(row, column), numberOf(twin(rows, row, side), column)]
      const times = own == null || their == null ? 1 : Math.max(own / their, their / own)

      return own != null && their != null && isWorse(own, their) && times > 1 + NOISE
        ? [{ text: `${nameOf(row)} (${range([times])} times)`, times }]
        : []
    })
    const rate = losses('requests/s', (own, their) => their > own)
    const cpu = losses('CPU ns a byte', (own, their) => own > their)

    return [
      ...rate.length === 0 ? [] : [`**requests a second**: ${side} answers more in ${
        extremes(rate, ours.length, 'rows')}.`],
      ...cpu.length === 0 ? [] : [`**processor time**: ${side} takes less in ${extremes(cpu, ours.length, 'rows')}.`]
    ]
  })
}

/** How many times as many requests another server answers, and for which files, where it answers more. */
function beaten (results: Results, side: string): string | undefined {
  const rows = rowsOf(results, 'gateway')
  const times = rows.filter(isOurs).flatMap(row => {
    const [own, their] = [row, rows.find(other => String(other.side).startsWith(side) && isTwin(row, other))]
      .map(found => numberOf(found, 'requests/s'))

    return own != null && their != null && their > own * (1 + NOISE)
      ? [{ times: their / own, size: Number(row.MB) }]
      : []
  })

  return times.length === 0
    ? undefined
    : `with files of ${range(times.map(({ size }) => size))} MB, ${range(times.map(({ times }) => times))} times`
}

function isOurs ({ side }: Row): boolean {
  return String(side).startsWith(OURS)
}

function twin (rows: readonly Row[], { MB, file, connections }: Row, side: string): Row | undefined {
  return find(rows, { MB, file, connections, side })
}

function isTwin (row: Row, other: Row): boolean {
  return row.MB === other.MB && row.file === other.file && row.connections === other.connections
}

function nameOf ({ MB, file, connections }: Row): string {
  return `${MB} MB of ${file} at ${connections} connections`
}
