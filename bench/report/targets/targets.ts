import { blockTargets } from './blocks.ts'
import { fetchTargets } from './fetching.ts'
import { localTargets } from './local.ts'
import { serveTargets } from './serving.ts'
import { siteTargets } from './sites.ts'
import { treeTargets, versionTargets } from './versions.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

/** The targets, by what people do, and what was measured. */
export function targets (results: Results): Row[] {
  return [localTargets, treeTargets, versionTargets, fetchTargets, serveTargets, siteTargets, blockTargets]
    .flatMap(of => of(results))
}
