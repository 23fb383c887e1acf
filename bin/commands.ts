import { operatorOptions } from './operator-options.ts'
import { recordOptions } from './record/options.ts'

/** An option of a command: enough to parse it, to check it and to describe it. */
export interface Option {
  /** What stands for the value in the help; an option without it is a switch. */
  value?: string
  short?: string
  help: string
  /** The only values that it takes. */
  choices?: readonly string[]
  /** The value may be left out: the next word is one only when it looks like this. */
  optional?: RegExp
  /** The value is a whole number, 1 or more. */
  count?: boolean
  /** It may be given more than once. */
  many?: boolean
}

/** An argument that is told by its position. */
export interface Positional {
  name: string
  help: string
  required: boolean
  choices?: readonly string[]
}

/** A command, as data: the parser and the help are read off it. */
export interface Command {
  summary: string
  positionals: readonly Positional[]
  options: Readonly<Record<string, Option>>
  /** What stands behind `--` and is not read: a command with its own options. */
  rest?: { name: string; help: string }
  /** What else its help says, a paragraph each. */
  notes: readonly string[]
  examples: readonly string[]
}

/** What a command is run with. */
export interface Arguments {
  positionals: string[]
  /** The last value of each option that was given. */
  values: Record<string, string | true>
  /** All values of each option that may be given more than once, in order. */
  lists?: Record<string, string[]>
  /** The words behind `--`, for a command that takes them. */
  rest?: string[]
}

/** The name that stands for the simulated greenhouse wherever a server file is asked for. */
export const builtInDemo = '@greenhouse'

/** The name that stands for the board that this computer is: what a scan finds is served, without a file. */
export const scannedBoard = '@raspberry-pi'

/** Whether a name stands for a board that is not in a file. */
export function isBuiltIn(name: string): boolean {
  return name === builtInDemo || name === scannedBoard
}

/** Pins of the board that this computer is. A scan cannot find what is wired to them. */
export const pinOptions = {
  input: {
    value: 'PIN',
    many: true,
    help: `with ${scannedBoard}: a pin that is read, as GPIO23; may be given more than once`,
  },
  output: {
    value: 'PIN',
    many: true,
    help: `with ${scannedBoard}: a pin that is switched, as GPIO17, and is off when safe; may be given more than once`,
  },
} as const satisfies Record<string, Option>

const file: Positional = {
  name: 'file',
  required: true,
  help:
    `a board.json, or a .js, .mjs, .ts or .mts file that exports a board; ${scannedBoard} is what a scan of this ` +
    `computer finds, ${builtInDemo} the built-in demo`,
}

/** A file that is there tomorrow, too. */
const ownFile: Positional = { ...file, help: 'a board.json, or a .js, .mjs, .ts or .mts file that exports a board' }

/** How a running server is named. */
const server: Positional = {
  name: 'server',
  required: false,
  help: "a board's name, a port, a file, or the number of a process",
}

/** How a port is named, wherever one is asked for. */
const portForms =
  'a path (/dev/ttyACM0, COM3) or a glob of paths, a serial number, what the board calls itself, ' +
  'usb:VID:PID[:SERIAL] or tcp://HOST:PORT'

/** How a port is used. */
const lineOptions = {
  baud: { value: 'N', count: true, help: 'bits a second of the line (115200)' },
  pace: { value: 'BYTES/MS', help: 'send no more than so many bytes in so many ms, for boards that lose some: 32/10' },
  dtr: {
    value: 'HOW',
    choices: ['auto', 'on', 'off'],
    help: 'the lines DTR and RTS: on, off, or by what is known of the board (auto)',
  },
} as const satisfies Record<string, Option>

/** How a board is served over HTTP. */
const httpOptions = {
  http: {
    value: 'HOST:PORT',
    optional: /^(\[[\da-f:]+\]:|[\w.-]*:)?\d{1,5}$/i,
    help: 'serve over HTTP, at localhost:8970 when no place is named',
  },
  page: { help: 'a page at / for people: sensors, controls, a stop button. A link to it is printed' },
  'tls-key': { value: 'FILE', help: 'serve HTTPS: the private key, as PEM' },
  'tls-cert': { value: 'FILE', help: 'serve HTTPS: the certificate, as PEM' },
  'allowed-host': { value: 'NAME', many: true, help: 'a further name under which it may be reached, such as pi.local' },
  'allowed-origin': { value: 'URL', many: true, help: 'a web page of this origin may use it' },
  'legacy-sse': { help: 'serve clients of revision 2024-11-05 as well, at /sse' },
  'require-token': { help: 'ask for a token on this computer too; from others it is asked for anyway' },
  'token-file': { value: 'FILE', help: 'ask for a token of this file (the usual one: see ferrule help token)' },
  'oauth-issuer': { value: 'URL', help: 'let in who has an access token of this authorization server' },
  'oauth-audience': { value: 'URL', help: 'the address that clients use: access tokens must be meant for it' },
} as const satisfies Record<string, Option>

/** How a board of a file is served. */
const serveOptions = {
  'read-sensors': { help: 'add a tool read_sensors, for hosts that never show resources to the model' },
  'max-line-bytes': { value: 'N', count: true, help: 'the longest line that is read (4 MiB)' },
  'max-message-bytes': { value: 'N', count: true, help: 'the longest message that is written' },
  ...operatorOptions,
  simulate: { help: 'the same board without its hardware: nothing real is measured or moved' },
  ...recordOptions,
  serial: { value: 'PATH', help: 'serve whoever is at the other end of this cable, instead of stdin and stdout' },
  ...lineOptions,
  ...httpOptions,
} as const satisfies Record<string, Option>

const limitsNote =
  'Limits can only narrow what the board allows. In a RULE of --allow, arguments have commas between them, as in ' +
  'motor:rpm=0..500,direction=left|right; a range may leave out one end. Stopping is always allowed.'

/** The options that have to do with HTTP. */
export const httpOptionNames: readonly string[] = Object.keys(httpOptions)

/** Every command by its name. */
export const commands = {
  serve: {
    summary: 'Serve a board to an MCP host, on stdin and stdout',
    positionals: [file],
    options: { ...pinOptions, ...serveOptions },
    notes: [
      'Hosts start this command for you; "ferrule host" prints what to give them. Only the protocol goes to stdout: ' +
        'whatever the file prints goes to stderr.',
      'With --http it serves any number of hosts at a URL, until Ctrl-C. Only programs on this computer reach ' +
        'it, until you name another host; then it asks for a token, which "ferrule token create" makes.',
      'With --serial the computer is the board: /dev/ttyGS0 is the USB socket of a Raspberry Pi Zero or 4 in gadget ' +
        'mode, /dev/serial0 its UART. --baud, --pace and --dtr belong to it.',
      limitsNote,
    ],
    examples: [
      'ferrule serve greenhouse.ts',
      'ferrule serve board.json',
      `ferrule serve ${builtInDemo}`,
      `ferrule serve ${scannedBoard} --input GPIO23 --output GPIO17`,
      'ferrule serve greenhouse.ts --http',
      'ferrule serve greenhouse.ts --http --page',
      'ferrule serve greenhouse.ts --http 0.0.0.0:8970 --allowed-host pi.local',
      'ferrule serve greenhouse.ts --serial /dev/ttyGS0',
      'ferrule serve greenhouse.ts --allow pump:seconds=0..10 --allow lamp',
      'ferrule serve greenhouse.ts --simulate',
    ],
  },
  bridge: {
    summary: 'Serve a board on a cable to an MCP host, on stdin and stdout',
    positionals: [],
    options: {
      port: {
        value: 'SPEC',
        many: true,
        help: `${portForms}; auto (which is taken when none is given) finds the one board that answers. PREFIX=SPEC names several`,
      },
      ...lineOptions,
      timeout: { value: 'MS', count: true, help: 'how long the board may take for one answer' },
      config: { value: 'FILE', help: 'a JSON file with these options' },
      'read-sensors': { help: 'add a tool read_sensors, for hosts that never show resources to the model' },
      name: { value: 'NAME', help: "the server's name (what the board calls itself)" },
      mirror: { value: 'PATH', help: 'a port at this path shows what the board prints, to read only' },
      'log-file': { value: 'FILE', help: 'what the board prints is added to this file, as it is shown on stderr' },
      'no-share': { help: 'do not share the port with other copies of the bridge' },
      ...operatorOptions,
      ...recordOptions,
      ...httpOptions,
    },
    notes: [
      'Hosts start this command for you; "ferrule host" prints what to give them. Pull the cable, plug it in again, ' +
        'flash other firmware: the bridge stays, and so does the host.',
      'Given --port more than once, it is one server with the names of each board behind its own prefix, as in ' +
        '--port lab=/dev/ttyACM0 --port attic=tcp://10.0.0.7:3333.',
      'With --http it serves any number of hosts at a URL, until Ctrl-C. Bridges that hosts start go through it.',
      limitsNote,
      'A copy that was given other limits than the bridge that has the board can only read.',
    ],
    examples: [
      'ferrule bridge',
      'ferrule bridge --port /dev/ttyACM0',
      'ferrule bridge --port greenhouse',
      'ferrule bridge --port /dev/ttyACM0 --http',
      'ferrule bridge --port usb:2341:0043 --baud 9600 --pace 32/10',
      'ferrule bridge --port greenhouse --read-only',
    ],
  },
  ports: {
    summary: 'List the serial ports, and what answers on them',
    positionals: [],
    options: {
      'no-ask': { help: 'open none of them: opening a port resets some boards' },
      baud: lineOptions.baud,
      json: { help: 'print JSON' },
      udev: { help: 'print udev rules that let you use the boards that are plugged in (Linux); none is opened' },
    },
    notes: ['A port that a bridge or another program has is not opened; who has it is told.'],
    examples: ['ferrule ports', 'ferrule ports --no-ask', 'ferrule ports --udev'],
  },
  scan: {
    summary: 'Show what is connected to this Linux board, and write a first board file',
    positionals: [],
    options: {
      write: { value: 'FILE', help: 'write what was found into a board file, to go on from: board.json' },
      force: { help: 'overwrite that file if it is there' },
      bus: {
        value: 'N',
        many: true,
        help: 'ask this I2C bus, whatever it is for, in the place of those that parts are wired to; may be given more than once',
      },
      json: { help: 'print JSON' },
    },
    notes: [
      'It looks at pins, I2C, 1-Wire, SPI, PWM, UARTs and whatever the kernel measures, and says of what is off or may ' +
        'not be used how that is changed. It moves nothing: no pin is taken, and no register of a chip is written.',
      'Outputs cannot be found. With --write, what to paste for them is printed.',
      'It ends with 1 when no sensor was found.',
    ],
    examples: [
      'ferrule scan',
      'ferrule scan --write board.json',
      'ferrule scan --bus 20',
      'ferrule scan --json | jq .sensors',
    ],
  },
  doctor: {
    summary: 'Check a port, or a configuration of a host, step by step',
    positionals: [{ name: 'port', required: false, help: `${portForms}; the only one there is when left out` }],
    options: {
      'host-config': { value: 'FILE', help: 'check the entries of the configuration file of a host instead' },
      ...lineOptions,
      timeout: { value: 'MS', count: true, help: 'how long to wait for the board to say who it is (8000)' },
    },
    notes: [
      'It goes from the cable to the first reading, and says what to do at the first step that fails. It moves nothing.',
    ],
    examples: [
      'ferrule doctor',
      'ferrule doctor /dev/ttyACM0 --baud 9600',
      'ferrule doctor --host-config ~/.cursor/mcp.json',
    ],
  },
  trace: {
    summary: 'Show the messages of an MCP server, or of a board on a cable',
    positionals: [],
    options: {
      port: { value: 'SPEC', help: `listen at this port: ${portForms}` },
      record: { value: 'FILE', help: 'write the lines to this file too' },
      json: { help: 'one JSON object a line' },
      ...lineOptions,
    },
    rest: { name: 'command', help: 'a stdio MCP server and its arguments: it is started, and shown while it serves' },
    notes: [
      'Around a server it passes everything on as it is, from stdin and to stdout, so it can stand in the entry of a ' +
        'host in the place of the server. What it shows goes to stderr. Mistakes in the protocol are named, on either ' +
        'side.',
      'A port that a bridge has is shown by that bridge. On any other, it finds out who is there and shows how.',
    ],
    examples: [
      'ferrule trace -- node my-server.js',
      'ferrule trace --record trace.txt -- ferrule serve greenhouse.ts',
      'ferrule trace --port /dev/ttyACM0',
    ],
  },
  log: {
    summary: 'Show the record: what models did with a board',
    positionals: [
      { name: 'record', required: false, help: "a board's name, or a file; the only record there is when left out" },
    ],
    options: {
      tool: { value: 'NAME', many: true, help: 'only calls of this tool; may be given more than once' },
      client: { value: 'TEXT', help: 'only calls of clients with this in their name' },
      outcome: {
        value: 'HOW',
        many: true,
        choices: ['ran', 'refused', 'cancelled', 'failed', 'unknown', 'dry-run', 'started'],
        help: 'only what ended so; started is what has not ended, or never did. May be given more than once',
      },
      since: { value: 'TIME', help: 'from then on: 30m, 2h, 3d (so long ago), 9:30, 2026-01-31 or 2026-01-31T09:30' },
      until: { value: 'TIME', help: 'before then' },
      last: { value: 'N', count: true, help: 'no more than the last N (50, and all with --since)' },
      follow: { short: 'f', help: 'go on with what comes' },
      json: { help: 'the entries as they stand in the file, one JSON object a line' },
    },
    notes: [
      'Servers keep the record as JSON, one line a call or event, in the state folder of the user or where --record ' +
        'says. Times are local, and in the file UTC.',
    ],
    examples: [
      'ferrule log',
      'ferrule log greenhouse --tool pump --since 2h',
      'ferrule log -f',
      'ferrule log --json | jq .tool',
    ],
  },
  stop: {
    summary: 'Put every output of everything that you run into its safe state, where it stays',
    positionals: [{ ...server, help: `${server.help}; everything when left out` }],
    options: { json: { help: 'print JSON' } },
    notes: [
      'It reaches every ferrule serve and bridge of this user on this computer, at once. Outputs stay off until ' +
        '"ferrule arm". SIGUSR1 does the same for one process, and the tool stop_all for a model.',
      'It ends with 0 only when every output was made safe. It ends with 1 when one was not, when a process does not ' +
        'answer, and when nothing runs.',
    ],
    examples: ['ferrule stop', 'ferrule stop greenhouse', 'ferrule stop /dev/ttyACM0'],
  },
  arm: {
    summary: 'Let the outputs of a board move again, after a stop',
    positionals: [{ ...server, help: `${server.help}; the only one that waits for it when left out` }],
    options: { yes: { short: 'y', help: 'do not ask: you have looked that nobody is in the way' } },
    notes: ['Boards are armed one by one. Outputs that want to be armed stay off after every start, too.'],
    examples: ['ferrule arm', 'ferrule arm greenhouse --yes'],
  },
  status: {
    summary: 'Show what you run, who uses it, and whether it may move',
    positionals: [],
    options: { json: { help: 'print JSON' } },
    notes: ['It ends with 1 when a process does not answer.'],
    examples: ['ferrule status', 'ferrule status --json'],
  },
  release: {
    summary: 'Have the bridge let go of a port, for an upload',
    positionals: [
      { name: 'port', required: true, help: `${portForms}; with commas between, where one bridge has several` },
    ],
    options: {
      for: { value: 'SECONDS', count: true, help: 'take it back after so long; otherwise when you press Enter' },
    },
    rest: { name: 'command', help: 'what needs the port: the bridge takes it back when this ends' },
    notes: ['Calls that come meanwhile end with an error that says why. The host need not be restarted.'],
    examples: ['ferrule release /dev/ttyACM0 -- arduino-cli upload -p /dev/ttyACM0', 'ferrule release /dev/ttyACM0'],
  },
  service: {
    summary: 'Serve a board from the start of this computer on, as a service of systemd (Linux)',
    positionals: [ownFile],
    options: {
      install: { help: 'put the unit into place and start it; as root' },
      remove: { help: 'end the service, and take its unit away; as root' },
      name: { value: 'NAME', help: "the service is called ferrule-NAME (the board's name, or that of the file)" },
      user: { value: 'USER', help: 'the user that it runs as (you)' },
      ...serveOptions,
    },
    notes: [
      'Without --install or --remove it prints the unit on stdout, and what to do with it on stderr. What stands below ' +
        '--user is carried into the unit: see "ferrule help serve". Without --http and --serial it is --http localhost:8970.',
      'The outputs are safe before the service takes its first call, when it is stopped, when it is killed, and when it ' +
        'hangs: systemd then starts it anew.',
      'Its log: journalctl -u ferrule-NAME. "ferrule status", "stop", "arm" and "log" know it, for the user that it runs ' +
        'as, and for root.',
    ],
    examples: [
      'ferrule service greenhouse.json',
      'sudo ferrule service greenhouse.json --install',
      'ferrule service greenhouse.json --http 0.0.0.0:8970 --allowed-host pi.local',
      'sudo ferrule service greenhouse.json --remove',
    ],
  },
  safe: {
    summary: 'Put the outputs of a board that nobody serves into their safe state',
    positionals: [ownFile],
    options: {},
    notes: [
      'For what was left on by a server that was killed. It takes the hardware, makes it safe, gives it back and ends: ' +
        'with 0 only when every output was made safe. A board that is served is stopped with "ferrule stop".',
    ],
    examples: ['ferrule safe greenhouse.json'],
  },
  token: {
    summary: 'Make, list or revoke the tokens that let a client in over HTTP',
    positionals: [
      { name: 'action', required: true, choices: ['create', 'list', 'revoke'], help: 'create, list or revoke' },
      { name: 'name', required: false, help: 'who gets the token: a name of your choice, one for each client' },
    ],
    options: {
      'read-only': { help: 'the token reads the sensors and moves nothing' },
      person: { help: 'the token is for a person at the page, who is not asked before a move; not for a model' },
      expires: { value: 'TIME', help: 'when it stops working: 12h, 90d or 8w from now (never)' },
      file: { value: 'FILE', help: 'the file of tokens (tokens.json in the folder of ferrule in your configuration)' },
    },
    notes: [
      'A new token is printed once, on stdout and alone. Only a hash of it is kept, so nobody can look it up later.',
      'A revoked token stops working with the next request. No server needs a restart.',
    ],
    examples: [
      'ferrule token create laptop --expires 90d',
      'ferrule token create dashboard --read-only',
      'ferrule token create anna --person',
      'ferrule token list',
      'ferrule token revoke laptop',
    ],
  },
  library: {
    summary: 'Put the Arduino library where the Arduino IDE looks for libraries',
    positionals: [
      {
        name: 'folder',
        required: false,
        help: 'the folder for libraries; that in the sketchbook (~/Arduino or ~/Documents/Arduino) when left out',
      },
    ],
    options: { force: { help: 'replace another version of it' } },
    notes: ['Nothing else is changed. To take it out again, delete the folder that it names.'],
    examples: ['ferrule library', 'ferrule library ~/Arduino/libraries --force'],
  },
  emulate: {
    summary: 'Run the firmware of an Arduino Uno on an emulated chip, with its serial line on a TCP port',
    positionals: [
      {
        name: 'file',
        required: false,
        help: 'an Intel HEX file for the ATmega328P at 16 MHz; the greenhouse that comes with ferrule when left out',
      },
    ],
    options: {
      listen: { value: 'HOST:PORT', help: 'where its serial line is (127.0.0.1, and a port that is free)' },
      'reset-on-open': {
        help: 'reset the chip when somebody comes to the line, as an Uno does when its port is opened',
      },
      pins: { help: 'print what the pins do' },
      'while-stdin': { help: 'end when standard input does, for programs that start this one' },
    },
    notes: [
      'Whatever board you want to write for an Uno, try it here first. Arduino IDE: Sketch, Export Compiled Binary. The ' +
        'address is printed on stdout, all else on stderr. Ctrl-C ends it.',
      'Round the chip is a simulated greenhouse: A0 soil moisture, A1 air temperature (0 to 5 V are -20 to 60 °C), A2 air ' +
        'humidity, A3 light (to 20000 lx), A4 water in the tank, A5 position of the vent, D2 high while water flows; D3 ' +
        'grow light (PWM), D4 heater, D7 tap of the tank, D8 pump, D9 servo of the vent.',
      'It never runs faster than a real one. It has no SPI and no I2C.',
    ],
    examples: ['ferrule emulate', 'ferrule emulate sketch.ino.hex --listen 127.0.0.1:5000 --pins'],
  },
  try: {
    summary: 'See the sensors and work the actuators yourself, in this terminal',
    positionals: [{ ...file, required: false, help: `${file.help}, without a chip` }],
    options: {
      simulated: { help: 'without a file: the greenhouse as a board in TypeScript, without a chip and a cable' },
      ...pinOptions,
      once: { help: 'run once through and print a summary; this is so without a terminal' },
      wire: { help: 'show the messages that go over the wire' },
      era: {
        value: 'ERA',
        choices: ['modern', 'legacy'],
        help: 'the protocol to speak: modern (2026-07-28) or legacy',
      },
    },
    notes: [
      'It starts the real server as a process of its own and speaks MCP to it, as a host does.',
      'Without a file there is a whole chain: the firmware of a greenhouse on an emulated chip, its serial line, the ' +
        'bridge. What is not real is the greenhouse.',
      'Run once through, it works actuators only in the built-in demo. In a file of yours it reads, and moves nothing.',
    ],
    examples: ['ferrule try', 'ferrule try greenhouse.ts', 'ferrule try --once --wire'],
  },
  host: {
    summary: 'Print the entry for the configuration of a host',
    positionals: [
      {
        name: 'host',
        required: true,
        choices: ['claude-desktop', 'claude-code', 'cursor', 'vscode'],
        help: 'claude-desktop, claude-code, cursor or vscode',
      },
      { ...file, required: false, help: `${file.help}; not with --port` },
    ],
    options: {
      name: { value: 'NAME', help: "the server's name in the host (the board's name); with it the file is not run" },
      port: { value: 'SPEC', many: true, help: `a board on a cable: ${portForms}, or auto` },
      ...lineOptions,
      ...operatorOptions,
      simulate: { help: 'a file only: the same board without its hardware' },
      ...pinOptions,
      ...recordOptions,
    },
    notes: [
      'What stands below --dtr is carried into the entry: see "ferrule help serve".',
      'The entry goes to stdout, where it belongs goes to stderr. All paths are absolute, so that it works when an ' +
        'app starts it without your shell.',
      'When the file does not load, the entry is printed all the same, with the reason on stderr and exit code 1.',
    ],
    examples: [
      'ferrule host claude-desktop greenhouse.ts',
      'ferrule host claude-code greenhouse.ts | sh',
      'ferrule host cursor --port /dev/ttyACM0',
      'ferrule host vscode greenhouse.ts --allow pump:seconds=0..10',
    ],
  },
} as const satisfies Record<string, Command>
