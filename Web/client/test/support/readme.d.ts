// What the examples of the pages assume: names of the surrounding program, and the part of React that they use.

declare const token: string;
declare const lines: AsyncIterable<string>;
declare const cache: import("@tidemark/client/tabs").SharedCache;

declare module "react/jsx-runtime" {
  import type { ReactElement, ReactNode } from "react";
  export namespace JSX {
    type Element = ReactElement;
    interface ElementChildrenAttribute { children: unknown; }
    interface IntrinsicAttributes { readonly key?: string | number; }
    interface IntrinsicElements {
      p: { children?: ReactNode; };
      ul: { children?: ReactNode; };
      li: { children?: ReactNode; key?: string | number; };
      button: { children?: ReactNode; onClick?: () => void; };
    }
  }
  export const Fragment: (props: { children?: ReactNode; }) => ReactElement;
  export function jsx(type: unknown, props: unknown, key?: string): ReactElement;
  export function jsxs(type: unknown, props: unknown, key?: string): ReactElement;
}

declare module "react-dom/client" {
  import type { ReactNode } from "react";
  export function createRoot(element: HTMLElement): { render(node: ReactNode): void; };
}
