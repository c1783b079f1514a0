/** A line to type, and what it does. */
export interface Example {
  line: string
  does: string
}

/** Headings for the list of all commands, in order, and the commands below each. */
export const COMMAND_GROUPS: ReadonlyArray<readonly [heading: string, commands: readonly string[]]> = [
  ['Add and read files:', ['add', 'cat', 'get', 'ls', 'stat', 'diff']],
  ['Keep, delete and move:', ['log', 'pin', 'rm', 'gc', 'car', 'link', 'import', 'migrate']],
  ['Check and repair:', ['verify', 'repair']],
  [
    'Share with other nodes and browsers:',
    ['daemon', 'gateway', 'originals', 'site', 'name', 'providers', 'id', 'peers', 'connect']
  ],
  ['Choose how to compress:', ['bench', 'codecs', 'cid']],
  ['Look after the repo:', ['init', 'stats', 'du', 'blockstore']],
  ['About this command:', ['help', 'version', 'completion']]
]

/** The options that most people need, in order, of commands with many. Their other options come after them. */
export const COMMON_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  add: [
    '--codec', '--level', '--link', '--ignore', '--gitignore', '--hidden', '--wrap-with-directory', '--only-hash',
    '--quieter'
  ],
  get: ['--output', '--force'],
  daemon: ['--gateway', '--gateway-fetch', '--serve-originals', '--provide', '--listen', '--bootstrap'],
  gateway: ['--listen', '--public', '--fetch', '--gateway', '--cache', '--compress', '--log']
}

const examples = (...pairs: Array<[line: string, does: string]>): Example[] =>
  pairs.map(([line, does]) => ({ line: `ipfsz ${line}`, does }))

/** Two examples of each command, and of `ipfsz` itself. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  '': examples(
    ['add report.csv', 'Add a file: this prints its CID'],
    ['cat CID', 'Read it']
  ),
  add: examples(
    ['add report.csv photos', 'Add a file and a directory'],
    ['add --codec auto --quieter report.csv', 'Let ipfsz choose the codec, and print only the CID']
  ),
  cat: examples(
    ['cat CID/report.csv | head', 'Read a file of a directory'],
    ['cat --offset 1000000 --length 500 CID', 'Read 500 bytes, and fetch only the blocks that have them']
  ),
  get: examples(
    ['get CID -o copy.csv', 'Write a file to disk'],
    ['get CID --gateway https://example.com', 'Fetch it from a gateway, before asking peers']
  ),
  ls: examples(
    ['ls CID', 'List a directory'],
    ['ls -l -R CID/photos', 'List all below a directory in it, with modes and times']
  ),
  stat: examples(
    ['stat CID', 'Show sizes, codec and both CIDs'],
    ['stat --offline CID/report.csv', 'Show them only if the repo has the file']
  ),
  diff: examples(
    ['diff CID1 CID2', 'List what differs between two directories'],
    ['diff --content CID1 CID2', 'Compare the bytes where CIDs do not tell']
  ),
  'site add': examples(
    ['site add dist', 'Publish the built site in a directory'],
    ['site add dist --keep "blog/*.html" --keep "*.css"', 'Let crawlers read some pages without a worker']
  ),
  'pin add': examples(
    ['pin add CID', 'Keep a file or a directory'],
    ['pin add CID1 CID2', 'Keep several']
  ),
  'pin rm': examples(
    ['pin rm CID', 'Let the next ipfsz gc delete it'],
    ['pin rm CID1 CID2', 'Unpin several']
  ),
  'pin ls': examples(
    ['pin ls -l', 'List all pins, with names, sizes and dates'],
    ['pin ls --json', 'List them for a script, with both CIDs']
  ),
  rm: examples(
    ['rm CID', 'Unpin a file and delete its links'],
    ['rm CID1 CID2 && ipfsz gc', 'Delete two, and free their space']
  ),
  gc: examples(
    ['gc --dry-run', 'See how much would be deleted'],
    ['gc', 'Delete all blocks that no pin needs']
  ),
  'car export': examples(
    ['car export CID -o report.car', 'Write a file to a CAR'],
    ['car export CID -o - | ipfs dag import', 'Hand it to Kubo']
  ),
  'car import': examples(
    ['car import report.car', 'Add what is in a CAR, and pin it'],
    ['car import - < report.car', 'Read the CAR from stdin']
  ),
  import: examples(
    ['import --from-kubo http://127.0.0.1:5001', 'Compress everything that a Kubo has pinned'],
    ['import --from-kubo ~/.ipfs --replace CID', 'Compress one of its pins, and unpin it there']
  ),
  migrate: examples(
    ['migrate ~/.ipfs /data/ipfsz', 'Copy all that a Kubo has, which must not run'],
    ['migrate --dry-run ~/.ipfsz /data/ipfsz', 'See how much is left to copy to another disk']
  ),
  'link add': examples(
    ['link add ORIGINAL MARKED', 'Read a compressed file by the CID of its original'],
    ['link add --unchecked ORIGINAL MARKED', 'Do so without comparing them']
  ),
  'link rm': examples(
    ['link rm ORIGINAL', 'Delete the link from an original'],
    ['link rm MARKED', 'Delete the link to a compressed file']
  ),
  'link ls': examples(
    ['link ls', 'List all links'],
    ['link ls --json', 'List them for a script']
  ),
  'originals index': examples(
    ['originals index', 'Index the originals of all linked files'],
    ['originals index --layout unixfs-v0-2015', 'Also give them the CIDs of ipfs add']
  ),
  'originals ls': examples(
    ['originals ls', 'List what is served by its original CID'],
    ['originals ls --json', 'List it for a script']
  ),
  log: examples(
    ['log photos', 'List the versions of photos, the newest first'],
    ['log --json photos | head -1', 'Get the CID of the last one, for a script']
  ),
  verify: examples(
    ['verify CID', 'Check one file or directory'],
    ['verify --all', 'Check everything that is pinned']
  ),
  repair: examples(
    ['repair', 'Repair everything that is pinned'],
    ['repair CID --peer MULTIADDR', 'Fetch the lost blocks of one file from a peer that has it']
  ),
  daemon: examples(
    ['daemon', 'Serve the repo to other nodes until Ctrl-C'],
    ['daemon --gateway --gateway-fetch', 'Run a gateway too, which fetches what the repo lacks']
  ),
  gateway: examples(
    ['gateway', 'Serve the repo at http://127.0.0.1:8080'],
    ['gateway --listen 0.0.0.0:8080 --public --fetch', 'Serve other machines too, and fetch what the repo lacks']
  ),
  'name publish': examples(
    ['name publish CID', 'Publish under the key of this node'],
    ['name publish CID/photos --key holiday', 'Publish under a key of its own']
  ),
  'name resolve': examples(
    ['name resolve NAME', 'Print the CID that a name points to'],
    ['name resolve --timeout 2m NAME', 'Search for two minutes']
  ),
  providers: examples(
    ['providers CID', 'Ask which peers have it'],
    ['providers --timeout 10s CID', 'Ask for ten seconds']
  ),
  id: examples(
    ['id', 'Show the peer id, and the addresses that others connect to'],
    ['id --json', 'Show them for a script']
  ),
  peers: examples(
    ['peers', 'List all peers, with addresses'],
    ['peers --json | wc -l', 'Count them']
  ),
  connect: examples(
    ['connect /ip4/192.0.2.7/tcp/4101/p2p/ID', 'Connect the daemon to a peer'],
    ['connect --timeout 10s MULTIADDR', 'Give up after ten seconds']
  ),
  bench: examples(
    ['bench report.csv', 'Find the best codec for a file'],
    ['bench --codec zstd,brotli --time 60 *.json', 'Measure two codecs for a minute']
  ),
  codecs: examples(
    ['codecs', 'List codecs and their levels'],
    ['codecs --json', 'List them for a script']
  ),
  'cid mark': examples(
    ['cid mark CID --codec zstd', 'Print the marked CID of a compressed file'],
    ['cid mark CID --codec tree', 'Print the marked CID of a directory']
  ),
  'cid plain': examples(
    ['cid plain CID', 'Print the CID for other IPFS nodes'],
    ['cid plain "$(ipfsz add -Q report.csv)"', 'Print that of a new file']
  ),
  init: examples(
    ['init', 'Create a repo in ~/.ipfsz'],
    ['init --store /mnt/site', 'Create one that shares its blocks and pins with other nodes']
  ),
  stats: examples(
    ['stats', 'Count blocks by how they are stored'],
    ['stats --json', 'Count them for a script']
  ),
  du: examples(
    ['du CID', 'Show what each entry of a directory takes, and all of it'],
    ['du -s', 'Show what each pin adds, and all of them together']
  ),
  'blockstore convert': examples(
    ['blockstore convert --codec zstd', 'Compress all blocks on disk'],
    ['blockstore convert --codec none', 'Undo it']
  ),
  help: examples(
    ['help pin', 'Show the help of a command'],
    ['help pin ls', 'Show that of a command below it']
  ),
  version: examples(
    ['version', 'Print the version'],
    ['version --json', 'Print that of Node too']
  ),
  completion: examples(
    ['completion bash >> ~/.bashrc', 'Complete commands, options and CIDs in bash'],
    ['completion fish > ~/.config/fish/completions/ipfsz.fish', 'Do so in fish']
  )
}
