// What wasm-bindgen makes of crates/ackclock-web, as far as the page uses it.
export default function start(options: { module_or_path: URL | Uint8Array }): Promise<unknown>;
export function catalogue(): string;
export function version(): string;
export class Scenario {
  static fromToml(text: string, custom: string[]): Scenario;
  static fromJson(text: string, custom: string[]): Scenario;
  toToml(): string;
  toJson(): string;
  sketch(): string;
  readonly durationS: number;
  readonly flowCount: number;
  free(): void;
}
export class Run {
  constructor(scenario: Scenario, custom: string[], host: unknown);
  advance(events: number): boolean;
  readonly now: number;
  readonly events: number;
  finish(): Results;
  free(): void;
}
export class Results {
  digest(): string;
  packetsDelivered(): number;
  finishedAtS(): number;
  tableNames(): string[];
  table(name: string): Record<string, Float64Array | Uint32Array | string[]>;
  free(): void;
}
