/// The style of a report. The page uses the fonts of the system, and follows its light or dark appearance.
enum ReportStyle {
  static let text = colours + frame + tables + parts + narrow

  private static let colours = #"""
    :root {
      --page: #fbfcfd; --card: #ffffff; --soft: #f1f4f7; --line: #dde4ea; --strong: #c3ced8;
      --text: #1c2833; --muted: #566573; --accent: #1f5f9e; --bar: #7ba7d6; --mark: #fff3c4;
      --good: #1e7145; --bad: #b3261e; --open: #8a5a00; --focus: #1f5f9e;
      --shade: 0 1px 2px rgb(20 40 60 / 6%);
      color-scheme: light dark;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #14191e; --card: #1b2127; --soft: #222a32; --line: #2e3843; --strong: #465463;
        --text: #e6ecf2; --muted: #a3b1be; --accent: #86b8ee; --bar: #4577ab; --mark: #4d4219;
        --good: #7fd0a0; --bad: #ff9a92; --open: #eebf6a; --focus: #86b8ee; --shade: none;
      }
    }

    """#

  private static let frame = #"""
    * { box-sizing: border-box }
    html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem }
    body {
      margin: 0; background: var(--page); color: var(--text);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
    }
    main { max-width: 76rem; margin: 0 auto; padding: 2.5rem 1.5rem 1rem }
    h1, h2, h3 { line-height: 1.2; text-wrap: balance; overflow-wrap: anywhere }
    h1 { font-size: 2.1rem; letter-spacing: -0.02em; margin: 0 0 1.25rem }
    h2 {
      font-size: 1.3rem; letter-spacing: -0.01em; margin: 0 0 1rem; padding-top: 1.5rem;
      border-top: 1px solid var(--line);
    }
    h3 { font-size: 1rem; margin: 0 0 .5rem }
    main > section { margin-top: 2.5rem }
    a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px }
    small, .amount { font-size: .875rem; font-weight: 400; color: var(--muted) }
    code, pre { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace }
    code { font-size: .875em; overflow-wrap: anywhere }
    pre {
      font-size: .8125rem; line-height: 1.45; overflow: auto; max-height: 30rem; margin: .5rem 0 0;
      padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
    }
    summary { cursor: pointer; color: var(--accent) }
    mark { background: var(--mark); color: inherit; border-radius: .25rem; padding: 0 .35em }
    .note { color: var(--muted); font-size: .9375rem; margin: .75rem 0 0 }
    .fault { color: var(--bad) }
    :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: .25rem }
    footer {
      max-width: 76rem; margin: 0 auto; padding: 1rem 1.5rem 3rem; color: var(--muted);
      font-size: .875rem;
    }

    header .kind {
      margin: 0 0 .25rem; color: var(--muted); font-size: .8125rem; font-weight: 600;
      letter-spacing: .06em; text-transform: uppercase;
    }
    header ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap }
    header .tiles {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem;
    }
    .tiles a {
      display: block; height: 100%; padding: .75rem 1rem; color: var(--muted); font-size: .875rem;
      background: var(--card); border: 1px solid var(--line); border-radius: .625rem;
      box-shadow: var(--shade); text-decoration: none;
    }
    .tiles a:hover { border-color: var(--strong) }
    .tiles b {
      display: block; color: var(--text); font-size: 1.375rem; font-weight: 600; line-height: 1.25;
      letter-spacing: -0.01em; font-variant-numeric: tabular-nums;
    }
    .facts {
      display: grid; grid-template-columns: repeat(auto-fill, minmax(min(28rem, 100%), 1fr));
      gap: 0 2.5rem; margin: 1.5rem 0 0; font-size: .9375rem;
    }
    .facts div { display: flex; gap: .75rem; padding: .4rem 0; border-bottom: 1px solid var(--line) }
    .facts dt { flex: 0 0 7rem; color: var(--muted); overflow-wrap: anywhere }
    .facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums }
    nav { margin-top: 1.25rem; font-size: .9375rem }
    nav ul { gap: .25rem 1.25rem }

    """#

  private static let tables = #"""
    .scroll {
      overflow: auto; max-width: 100%; background: var(--card); border: 1px solid var(--line);
      border-radius: .625rem; box-shadow: var(--shade);
    }
    .scroll + .scroll { margin-top: 1rem }
    table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .875rem }
    caption {
      text-align: left; font-weight: 600; padding: .75rem .875rem .5rem; font-size: .9375rem;
    }
    th, td {
      padding: .4rem .875rem; text-align: left; vertical-align: top;
      border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums;
    }
    tbody tr:last-child > * { border-bottom: 0 }
    thead th {
      position: sticky; top: 0; z-index: 2; background: var(--soft); color: var(--muted);
      font-size: .8125rem; font-weight: 600; white-space: nowrap;
    }
    tbody th { font-weight: 500 }
    .words { min-width: 12rem }

    .bars td, .bars th { white-space: nowrap }
    .bars .bar { width: 34% }
    .bars .bar span {
      display: inline-block; vertical-align: middle; height: .625rem; border-radius: .3125rem;
      background: var(--bar); width: calc(var(--share) * .62); margin-right: .5rem;
    }
    .bars .bar b { font-weight: 500 }
    .verdict span { color: var(--muted) }

    .rows { margin-top: 2rem }
    .rows .tools, .rows .pages, .rows .scroll { display: none }
    .js .rows .scroll { display: block; max-height: min(36rem, 75vh); min-height: 5.5rem }
    .js .rows .tools {
      display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; margin-bottom: .5rem;
      color: var(--muted); font-size: .875rem;
    }
    .js .rows .pages:not(:empty) {
      display: flex; align-items: center; justify-content: space-between; gap: 1rem;
      margin-top: .5rem; color: var(--muted); font-size: .875rem;
    }
    input, .pages button, dialog button {
      font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--strong);
      border-radius: .5rem; padding: .35rem .75rem; min-height: 2.25rem;
    }
    input { width: 15rem; max-width: 60vw; margin-left: .375rem }
    button { cursor: pointer }
    button:disabled { cursor: default; opacity: .45 }
    .rows thead th { padding: 0 }
    .rows thead button {
      font: inherit; color: inherit; background: none; border: 0; padding: .5rem .875rem;
      width: 100%; text-align: inherit; white-space: nowrap;
    }
    .rows thead button:hover, .rows thead [aria-sort] button { color: var(--text) }
    .rows thead button:focus-visible { outline-offset: -3px }
    .rows thead button::after { content: "\2195"; opacity: .35; margin-left: .375rem }
    .rows thead [aria-sort=ascending] button::after { content: "\2191"; opacity: 1 }
    .rows thead [aria-sort=descending] button::after { content: "\2193"; opacity: 1 }
    .rows td { max-width: 24rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
    .rows .number, .rows thead .number { text-align: right }
    .rows .null { color: var(--strong) }
    .rows .faint { color: var(--muted) }
    .rows tbody th {
      position: sticky; left: 0; z-index: 1; background: var(--card); color: var(--muted);
      font-weight: 400; white-space: nowrap;
    }
    .rows thead th:first-child { left: 0; z-index: 3 }
    .rows tbody tr:hover > * { background: var(--soft) }
    .rows tbody tr:target > *, .rows tbody tr.target > * { background: var(--mark) }
    .thumb { padding: 0; border: 0; background: none; vertical-align: middle }
    .thumb img { display: block; height: 2.5rem; max-width: 8rem; border-radius: .25rem }

    """#

  private static let parts = #"""
    .drawing {
      overflow: auto; max-height: 44rem; background: var(--page); border: 1px solid var(--line);
      border-radius: .625rem;
    }
    .drawing svg { display: block; margin: 0 auto; max-width: none }
    .entities {
      list-style: none; margin: 1rem 0; padding: 0; display: grid; gap: .75rem;
      grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr));
    }
    .entities > li {
      padding: .75rem 1rem; background: var(--card); border: 1px solid var(--line);
      border-radius: .625rem; box-shadow: var(--shade);
    }
    .entities ul { list-style: none; margin: 0; padding: 0; font-size: .875rem }
    .entities ul li {
      display: flex; justify-content: space-between; gap: 1rem; overflow-wrap: anywhere;
    }
    .entities ul span { color: var(--muted); text-align: right }

    .chart {
      margin: 0 0 1rem; padding: .75rem 1rem .5rem; background: var(--card);
      border: 1px solid var(--line); border-radius: .625rem; box-shadow: var(--shade);
    }
    .chart figcaption { font-size: .875rem; color: var(--muted) }
    .chart svg { display: block; width: 100%; height: 8rem; margin-top: .5rem; overflow: visible }
    .chart-area { fill: var(--bar); opacity: .18 }
    .chart-line { fill: none; stroke: var(--bar); stroke-width: 2; vector-effect: non-scaling-stroke }
    .chart-dot {
      fill: none; stroke: var(--accent); stroke-width: 7; stroke-linecap: round;
      vector-effect: non-scaling-stroke;
    }
    .ends {
      display: flex; justify-content: space-between; gap: 1rem; margin: .25rem 0 0;
      font-size: .8125rem; color: var(--muted); font-variant-numeric: tabular-nums;
    }
    .ends :last-child { text-align: right }
    #versions .scroll { max-height: 28rem }
    #versions time { white-space: nowrap }
    .changes { white-space: nowrap }
    .inserted { color: var(--good) } .deleted { color: var(--bad) } .changed { color: var(--open) }

    .verdict {
      margin: 0; padding: .75rem 1rem; background: var(--card); border: 1px solid var(--line);
      border-left: 4px solid var(--open); border-radius: .625rem; overflow-wrap: anywhere;
    }
    .verdict.good { border-left-color: var(--good) } .verdict.bad { border-left-color: var(--bad) }
    .verdict b { margin-right: .5rem }
    .findings { list-style: none; margin: 1rem 0 0; padding: 0 }
    .findings li { padding: .75rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
    .findings p { margin: 0 }
    .severity {
      font-size: .75rem; padding: .1rem .5rem; border-radius: 1rem; border: 1px solid currentColor;
      margin-right: .25rem;
    }
    .findings .error .severity { color: var(--bad) }
    .findings .warning .severity { color: var(--open) }
    .findings .information .severity { color: var(--muted) }

    .attachments {
      list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem;
      grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr));
    }
    .attachments figure {
      margin: 0; height: 100%; background: var(--card); border: 1px solid var(--line);
      border-radius: .625rem; overflow: hidden; box-shadow: var(--shade);
    }
    .attachments img, .sign {
      display: block; width: 100%; height: 11rem; object-fit: cover; background: var(--soft);
    }
    .js .attachments img { cursor: zoom-in }
    .sign {
      display: grid; place-content: center; font-size: 1.25rem; font-weight: 600;
      color: var(--muted); text-transform: uppercase; letter-spacing: .04em;
    }
    figcaption b { font-weight: 500; overflow-wrap: anywhere }
    .attachments figcaption { padding: .625rem .875rem; font-size: .875rem }
    .attachments figcaption span { display: block; color: var(--muted) }
    dialog {
      max-width: 95vw; max-height: 95vh; padding: .75rem; border: 1px solid var(--line);
      border-radius: .75rem; background: var(--card); color: var(--text);
    }
    dialog::backdrop { background: rgb(0 0 0 / 60%) }
    dialog img { display: block; max-width: 100%; max-height: 80vh; margin: .75rem auto 0 }

    """#

  /// The style of narrow screens and of paper.
  private static let narrow = #"""
    @media (max-width: 40rem) {
      main { padding: 1.5rem 1rem 1rem }
      footer { padding: 1rem 1rem 2rem }
      h1 { font-size: 1.6rem }
      header .tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .5rem }
      .tiles a { padding: .6rem; font-size: .8125rem }
      .tiles b { font-size: 1.125rem; white-space: nowrap }
      .facts dt { flex-basis: 6.25rem }
      .bars .bar { width: auto }
      .bars .bar span {
        display: block; width: var(--share); height: .375rem; margin: .25rem 0 0;
      }
      .bars td.bar { min-width: 5.5rem }
      th, td { padding: .4rem .625rem }
      .rows thead button { padding: .625rem .625rem }
      .rows td { max-width: 14rem }
      .attachments { grid-template-columns: repeat(2, 1fr); gap: .625rem }
      .attachments img, .sign { height: 8rem }
    }
    @media print {
      body { font-size: 10pt }
      main, footer { max-width: none; padding: 0 }
      nav, .tools, .pages, dialog { display: none !important }
      .scroll, .drawing, pre { overflow: visible; max-height: none !important; box-shadow: none }
      .drawing svg { max-width: 100%; height: auto }
      h2, h3 { break-after: avoid }
      tr, li, figure { break-inside: avoid }
    }

    """#
}
