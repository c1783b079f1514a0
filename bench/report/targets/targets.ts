import { blockTargets } from './blocks.ts'
import { fetchTargets } from './fetching.ts'
import { localTargets } from './local.ts'
import { serveTargets } from './serving.ts'
import { siteTargets } from './sites.ts'
import { isUnreached } from './target.ts'
import { treeTargets, versionTargets } from './versions.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

/** Targets of one kind. */
export interface TargetGroup {
  title: string
  rows: Row[]
}

const GROUPS = {
  'Adding and reading on one machine': localTargets,
  'Many small files': treeTargets,
  'Releases of a file': versionTargets,
  'Fetching from another node': fetchTargets,
  'Serving over HTTP': serveTargets,
  'Sites of nodes over one store': siteTargets,
  'Blocks compressed at rest': blockTargets
}

/** The targets, and what was measured, by what people do: those that are missed first. */
export function targetGroups (results: Results): TargetGroup[] {
  return Object.entries(GROUPS).map(([title, of]) => ({
    title,
    rows: of(results).toSorted((a, b) => Number(isUnreached(b)) - Number(isUnreached(a)))
  }))
}

/** All targets, and what was measured. */
export function targets (results: Results): Row[] {
  return targetGroups(results).flatMap(({ rows }) => rows)
}
