import { readExactly } from '../disk/disk.ts'
import { SEAL, encodeSeal, framesOf } from '../format/group-header.ts'
import { PACK_HEADER_FRAMES, PACK_HEADER_SIZE, encodePackHeader } from '../format/pack-header.ts'
import { encodeSeekTable } from '../format/seek-table.ts'
import { PACKS, lockName, packName } from '../pack/pack-names.ts'
import { scanPack } from '../pack/scan-pack.ts'
import type { Scan } from '../pack/scan-pack.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'

const COPY_SIZE = 1024 * 1024

/**
 * Seal the pack of a process that died, or remove it if nothing is in it. The caller has the maintenance lock, and
 * knows that the pack's lock is free.
 *
 * @returns what it did: `kept` a file that is no pack
 */
export async function sealDeadPack (disk: Disk, id: string): Promise<'sealed' | 'removed' | 'kept'> {
  const file = await disk.open(packName(id), 'update')
  let outcome: 'sealed' | 'removed' | 'kept'

  try {
    const scan = await scanPack(file, id, PACK_HEADER_SIZE, 0)
    outcome = scan.groups.some(({ header }) => header.kind !== SEAL) ? 'sealed' : 'removed'

    if (outcome === 'sealed' && !scan.isSealed) {
      await seal(disk, file, id, scan)
    }
  } finally {
    file.close()
  }

  if (outcome === 'removed') {
    await disk.remove(packName(id))
  }

  await disk.removeLock(lockName(id))

  return outcome
}

async function seal (disk: Disk, file: DiskFile, id: string, { groups, end, durable, damage }: Scan): Promise<void> {
  // of what was never synced, a loss of power may have kept a group and not the header
  await file.write(encodePackHeader(id), 0)

  // what its writer did not call synced may have been given up by the system after a failed sync. Written again, it is
  // written to the disk
  for (let position = Math.max(durable, PACK_HEADER_SIZE); position < end; position += COPY_SIZE) {
    await file.write(await readExactly(file, position, Math.min(COPY_SIZE, end - position)), position)
  }

  await file.truncate(end)
  await file.sync()
  await disk.syncDirectory(PACKS)

  const header = encodeSeal(id, end)
  const frames = groups.flatMap(({ header, bytes }) => [
    [header.size, 0] as const,
    ...Array.from(framesOf(bytes, header), ({ stored, original }) => [stored, original] as const)
  ])
  // offsets are sums of sizes, which damage makes unknown
  const table = damage.length > 0
    ? Buffer.alloc(0)
    : encodeSeekTable([...PACK_HEADER_FRAMES, ...frames, [header.byteLength, 0]])

  await file.write(Buffer.concat([header, table]), end)
  await file.sync()
}
