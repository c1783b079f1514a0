import { run } from '../../../test/support/tools.ts'
import { startClusters } from './cluster-storage.ts'
import type { Storage } from './storage.ts'

/** A cluster of Ceph in each site: three storage daemons, each with a copy of all objects. */
export const CEPH: Storage = {
  name: 'Ceph',
  startSeconds: 60,
  software: async () => [`Ceph ${/\d[\d.]+/.exec(String(await run('ceph-mon', ['--version'])))?.[0] ?? ''}`],
  missing: async () => Promise.all(['ceph-mon', 'ceph-osd', 'radosgw'].map(
    async program => run(program, ['--version'])
  )).then(() => undefined, (err: Error) => err.message),
  start: async init => startClusters(init, 'ceph-cluster.ts')
}
