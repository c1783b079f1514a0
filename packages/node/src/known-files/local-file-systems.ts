import { statfs } from 'node:fs/promises'
import { platform } from 'node:process'

/**
 * File systems by their type: see statfs(2) and linux/magic.h. They are of this machine, and the ctime of a file says
 * when it was changed last, whatever its mtime says. On network file systems, what `stat` says may be old, and on
 * others, such as FAT and those in user space, the ctime may be the mtime.
 */
const LOCAL: Readonly<Partial<Record<NodeJS.Platform, ReadonlySet<number>>>> = {
  linux: new Set([
    0xef53, // ext2, ext3, ext4
    0x58465342, // XFS
    0x9123683e, // Btrfs
    0x2fc12fc1, // ZFS
    0xca451a4e, // Bcachefs
    0xf2f52010, // F2FS
    0x3153464a, // JFS
    0x01021994, // tmpfs
    0x858458f6, // ramfs
    0x794c7630 // overlayfs, of containers
  ]),
  darwin: new Set([
    0x1a, // APFS
    0x11 // HFS+
  ])
}

/** Whether a path is on a file system that tells every change of a file. */
export async function tellsChanges (path: string): Promise<boolean> {
  return statfs(path).then(({ type }) => LOCAL[platform]?.has(type) === true, () => false)
}
