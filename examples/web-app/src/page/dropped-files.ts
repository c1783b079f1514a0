import type { NamedFile } from '../ipfs/add.ts'

/** One add: a file, or everything in a folder. */
export interface Batch {
  name: string
  files: NamedFile[]
}

/** The dropped files and folders, each folder with everything below it. */
export async function droppedBatches (transfer: DataTransfer): Promise<Batch[]> {
  // read everything before the first await: then the browser empties the transfer
  const dropped = Array.from(transfer.items, item => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const batches: Batch[] = []

  for (const { entry, file } of dropped) {
    if (entry != null) {
      batches.push({ name: entry.name, files: await filesBelow(entry, '') })
    } else if (file != null) {
      batches.push({ name: file.name, files: [{ path: flat(file.name), file }] })
    }
  }

  return batches
}

/** The files chosen in a dialog, those of one folder together. */
export function chosenBatches (files: Iterable<File>): Batch[] {
  const batches = new Map<string, Batch>()

  for (const [i, file] of [...files].entries()) {
    const [folder = '', ...rest] = file.webkitRelativePath.split('/')
    const key = rest.length > 0 ? folder : `${i}/`
    const batch: Batch = batches.get(key) ?? { name: rest.length > 0 ? folder : file.name, files: [] }

    batch.files.push({ path: rest.length > 0 ? file.webkitRelativePath : flat(file.name), file })
    batches.set(key, batch)
  }

  return [...batches.values()]
}

async function filesBelow (entry: FileSystemEntry, parent: string): Promise<NamedFile[]> {
  const path = `${parent}${entry.name}`

  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => { (entry as FileSystemFileEntry).file(resolve, reject) })

    return [{ path, file }]
  }

  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const files: NamedFile[] = []

  for (;;) {
    // the browser gives a hundred at a time, and an empty list at the end
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => { reader.readEntries(resolve, reject) })

    if (entries.length === 0) {
      return files
    }

    for (const child of entries) {
      files.push(...await filesBelow(child, `${path}/`))
    }
  }
}

/** Scripts can make names with a slash, which would read as a path. */
function flat (name: string): string {
  return name.replaceAll('/', '_')
}
