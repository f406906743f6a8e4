// The part of React 18 that the client uses; a program's own declarations replace it.

declare module "react" {
  export type ReactNode = object | string | number | boolean | null | undefined;
  export interface ReactElement { readonly type: unknown; readonly props: unknown; readonly key: string | null; }
  export interface Context<Value> { readonly Provider: (props: { value: Value; children?: ReactNode; }) => ReactNode; }
  export function createContext<Value>(value: Value): Context<Value>;
  export function createElement<Props>(type: (props: Props) => ReactNode, props: Props, ...children: ReactNode[]): ReactElement;
  export function useContext<Value>(context: Context<Value>): Value;
  export function useMemo<Value>(make: () => Value, dependencies: readonly unknown[]): Value;
  export function useCallback<Body>(body: Body, dependencies: readonly unknown[]): Body;
  export function useRef<Value>(value: Value): { current: Value; };
  export function useState<Value>(value: Value): [Value, (next: Value) => void];
  export function useEffect(body: () => void | (() => void), dependencies?: readonly unknown[]): void;
  export function useSyncExternalStore<Snapshot>(
    subscribe: (listener: () => void) => () => void, snapshot: () => Snapshot, serverSnapshot?: () => Snapshot,
  ): Snapshot;
}
