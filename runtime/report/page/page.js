// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The interactive report: reads the JSON of the element "data" (docs/report.md) and, where it has regions, fills the element
// "page". All texts of the report go through textContent, so that none of them is markup.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  if (!data.regions || data.regions.length === 0)
    return;
  const page = document.getElementById("page");
  const KINDS = ["cold", "capacity", "conflict", "true_sharing", "false_sharing"];
  const COLOURS = ["#3d6fb4", "#1f9e89", "#d9822b", "#8a5db3", "#c43d5a", "#7a8f2a", "#4aa3c7", "#9a6b43"];
  const LEAST = 1e-6;

  // ---- elements and numbers -------------------------------------------------------------------------------------------
  function h(tag, attributes, ...inside) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on"))
        element.addEventListener(name.slice(2), value);
      else if (name === "style")
        element.style.cssText = value;
      else if (value !== undefined && value !== null && value !== false)
        element.setAttribute(name, value === true ? "" : value);
    }
    for (const item of inside.flat(3))
      if (item !== null && item !== undefined && item !== "")
        element.append(item instanceof Node ? item : document.createTextNode(String(item)));
    return element;
  }
  function significant(value, digits) {
    return Number(value.toPrecision(digits)).toString();
  }
  function bytes(n) {
    if (n === null || n === undefined)
      return "-";
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let unit = 0;
    while (n >= 1024 && unit < units.length - 1) {
      n /= 1024;
      unit++;
    }
    return significant(n, 3) + " " + units[unit];
  }
  function count(n) {
    if (n === null || n === undefined)
      return "-";
    const units = ["", " k", " M", " G", " T"];
    let unit = 0;
    while (Math.abs(n) >= 9999.5 && unit < units.length - 1) {
      n /= 1000;
      unit++;
    }
    return unit ? significant(n, 3) + units[unit] : Math.round(n).toString();
  }
  function percent(ratio) {
    if (ratio === null || ratio === undefined)
      return "-";
    const value = 100 * ratio;
    return (value === 0 ? "0" : value >= 99.95 ? "100" : value >= 10 ? value.toFixed(1) : value >= 0.1 ? value.toFixed(2) : significant(value, 2)) + " %";
  }
  function measured(ratio, error) {
    return [percent(ratio), error ? h("span", { class: "error" }, " ±" + percent(error).replace(" %", "")) : ""];
  }
  function place(item) {
    return item.file ? item.file + (item.line ? ":" + item.line : "") : item.line ? "line " + item.line : "";
  }
  function sum(list) {
    return list.reduce((all, value) => all + (value || 0), 0);
  }
  function plural(n, word) {
    return n + " " + word + (n === 1 ? "" : "s");
  }

  // ---- points ---------------------------------------------------------------------------------------------------------
  const written = "as written";
  function valuesText(point) {
    return Object.entries(point.values).map(([name, value]) => name + " = " + value).join(", ");
  }
  function split(schedule) {
    const comma = schedule.indexOf(",");
    return comma < 0 ? [schedule || written, ""] : [schedule.slice(0, comma), schedule.slice(comma + 1).trim()];
  }
  function unique(list) {
    return [...new Set(list)];
  }
  for (const region of data.regions)
    for (const point of region.points) {
      [point.kind, point.chunk] = split(point.schedule);
      point.setting = valuesText(point);
    }
  function widest(points) {
    return points.reduce((best, point) => (point.threads > best.threads ? point : best), points[0]);
  }
  // what is chosen: region, threads, kind, chunk, setting, level, shared
  const chosen = {};
  function choose(changes) {
    Object.assign(chosen, changes);
    const points = data.regions[chosen.region].points;
    for (const key of ["setting", "kind", "chunk", "threads"]) {
      const fits = points.filter((point) => ["setting", "kind", "chunk", "threads"].every((other) => other === key || before(other, key) === false || point[other] === chosen[other]));
      if (!fits.some((point) => point[key] === chosen[key]))
        chosen[key] = widest(fits.length ? fits : points)[key];
    }
    const names = current().levels.map((level) => level.name);
    if (!names.includes(chosen.level))
      chosen.level = names[0];
  }
  function before(a, b) {
    const order = ["setting", "kind", "chunk", "threads"];
    return order.indexOf(a) < order.indexOf(b);
  }
  function current() {
    const points = data.regions[chosen.region].points;
    return points.find((point) => ["setting", "kind", "chunk", "threads"].every((key) => point[key] === chosen[key])) || points[0];
  }
  function teams() {
    return data.regions[chosen.region].points.filter((point) => ["setting", "kind", "chunk"].every((key) => point[key] === chosen[key])).sort((a, b) => a.threads - b.threads);
  }
  function levelOf(point) {
    return point.levels.find((level) => level.name === chosen.level);
  }

  // ---- charts ---------------------------------------------------------------------------------------------------------
  let charts = [];
  function css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function faint(colour, share) {
    return "color-mix(in srgb, " + colour + " " + share + "%, transparent)";
  }
  function decades(u, axis, least, most) {
    const all = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++)
      all.push(10 ** power);
    return all;
  }
  function doublings(u, axis, least, most) {
    const first = Math.floor(Math.log2(least)), last = Math.ceil(Math.log2(most)), all = [];
    const every = Math.max(1, Math.ceil((last - first) / Math.max(2, u.width / 80)));
    for (let power = first; power <= last; power += every)
      all.push(2 ** power);
    return all;
  }
  function percentTick(u, splits) {
    return splits.map((value) => (value < 0.001 ? value.toExponential(0) : significant(value, 2)) + " %");
  }
  function at(curve, lines) {
    let low = 0, high = curve.size_lines.length - 1;
    if (high < 0 || lines < curve.size_lines[0])
      return { ratio: 1, error: 0 };
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (curve.size_lines[middle] <= lines)
        low = middle;
      else
        high = middle - 1;
    }
    return { ratio: curve.miss_ratio[low], error: curve.miss_ratio_error ? curve.miss_ratio_error[low] : 0 };
  }
  function curveOf(point) {
    return point.curves.find((curve) => String(curve.threads_per_cache) === chosen.shared) || point.curves[point.curves.length - 1];
  }
  function marks(levels) {
    return (u) => {
      const { ctx } = u, ratio = devicePixelRatio || 1, { left, top, width, height } = u.bbox;
      ctx.save();
      ctx.font = 11 * ratio + "px system-ui, sans-serif";
      ctx.fillStyle = ctx.strokeStyle = css("--soft");
      ctx.setLineDash([4 * ratio, 3 * ratio]);
      ctx.textAlign = "left";
      ctx.textBaseline = "top";
      levels.forEach((level, i) => {
        const x = Math.round(u.valToPos(level.bytes, "x", true));
        if (x < left || x > left + width)
          return;
        ctx.beginPath();
        ctx.moveTo(x, top);
        ctx.lineTo(x, top + height);
        ctx.stroke();
        const text = level.name + " " + bytes(level.bytes), room = ctx.measureText(text).width + 6 * ratio;
        ctx.fillText(text, x + room > left + width ? x - room + 2 * ratio : x + 4 * ratio, top + (3 + 14 * (i % 3)) * ratio);
      });
      ctx.restore();
    };
  }
  function axes(xTick, xLabel) {
    const stroke = css("--soft"), rule = { stroke: css("--rule"), width: 1 }, font = "12px system-ui, sans-serif";
    const common = { stroke, font, grid: rule, ticks: { ...rule, size: 5 } };
    return [
      { ...common, splits: doublings, values: (u, splits) => splits.map(xTick), label: xLabel, labelFont: font, labelSize: 22, size: 34, filter: (u, splits) => splits },
      { ...common, splits: decades, values: percentTick, size: 62, filter: (u, splits) => splits },
    ];
  }
  // A chart of several lines over x, each with a band: {label, colour, y, low, high, width}
  function draw(host, x, lines, options) {
    const floor = Math.max(LEAST, Math.min(...lines.map((line) => Math.min(...line.y.filter((y) => y > 0)))) / 2);
    const clamp = (list) => list.map((y) => (y === null ? null : Math.max(y, floor)));
    const series = [{ label: options.xName, value: (u, value) => (value === null ? "" : options.xTick(value)) }], values = [x], bands = [];
    for (const line of lines) {
      const number = values.length, path = options.steps ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear();
      series.push({ label: line.label, stroke: line.colour, width: line.width, paths: path, points: { show: !options.steps, size: 6, fill: line.colour },
        value: (u, value, s, i) => (value === null || value === undefined || i === null ? "–" : line.told(i)) });
      values.push(clamp(line.y));
      if (line.high) {
        series.push({ stroke: "transparent", width: 0, paths: path, points: { show: false } }, { stroke: "transparent", width: 0, paths: path, points: { show: false } });
        values.push(clamp(line.high), clamp(line.low));
        bands.push({ series: [number + 1, number + 2], fill: faint(line.colour, 22) });
      }
    }
    const width = Math.max(240, host.clientWidth);
    const chart = new uPlot({
      width, height: options.height, series, bands, axes: axes(options.xTick, options.xLabel),
      scales: { x: { time: false, distr: 3, log: 2, range: (u, least, most) => options.range || [least, Math.max(most, 2 * least)] }, y: { distr: 3, log: 10, range: (u, least, most) => [10 ** Math.floor(Math.log10(Math.max(LEAST, least))), 10 ** Math.ceil(Math.log10(Math.max(most, 10 * LEAST)))] } },
      cursor: { drag: { x: false, y: false }, points: { show: (u, i) => series[i].label ? undefined : false } },
      legend: { live: true }, hooks: { draw: options.marks ? [marks(options.marks)] : [] },
    }, values, host);
    // the bands have no entries of their own
    chart.root.querySelectorAll(".u-legend .u-series").forEach((row, i) => {
      row.hidden = !series[i].label;
      if (!series[i].label)
        row.style.display = "none";
    });
    charts.push({ chart, host, height: options.height });
    return chart;
  }
  function drawCurves(host) {
    const points = teams(), line = current().line_bytes, curves = points.map(curveOf);
    const sizes = unique(curves.flatMap((curve) => curve.size_lines)).filter((size) => size > 0).sort((a, b) => a - b);
    const levels = current().levels.length ? current().levels : (data.caches || []).map((cache) => ({ name: cache.label || "", bytes: cache.bytes }));
    const last = Math.max(sizes[sizes.length - 1] * line, ...levels.map((level) => 1.5 * level.bytes));
    if (last > sizes[sizes.length - 1] * line)
      sizes.push(last / line);
    const lines = points.map((point, i) => {
      const values = sizes.map((size) => at(curves[i], size)), now = point.threads === chosen.threads;
      return {
        label: "T = " + point.threads, colour: COLOURS[i % COLOURS.length], width: now ? 2.6 : 1.2, y: values.map((v) => 100 * v.ratio),
        high: now ? values.map((v) => 100 * Math.min(1, v.ratio + 1.96 * v.error)) : null, low: now ? values.map((v) => 100 * Math.max(0, v.ratio - 1.96 * v.error)) : null,
        told: (k) => percent(values[k].ratio) + (values[k].error ? " ±" + percent(values[k].error).replace(" %", "") : ""),
      };
    });
    draw(host, sizes.map((size) => size * line), lines, { steps: true, height: 330, xName: "cache", xTick: bytes, xLabel: "size of a fully associative cache", marks: levels });
  }
  function drawScaling(host) {
    const points = teams(), names = current().levels.map((level) => level.name);
    const lines = names.map((name, i) => {
      const levels = points.map((point) => point.levels.find((level) => level.name === name));
      const ratio = (level, k) => (level ? 100 * Math.min(1, Math.max(0, level.miss_ratio + k * 1.96 * (level.miss_ratio_error || 0))) : null);
      return {
        label: name, colour: COLOURS[i % COLOURS.length], width: name === chosen.level ? 2.6 : 1.4, y: levels.map((level) => ratio(level, 0)), high: levels.map((level) => ratio(level, 1)), low: levels.map((level) => ratio(level, -1)),
        told: (k) => (levels[k] ? percent(levels[k].miss_ratio) : "–"),
      };
    });
    draw(host, points.map((point) => point.threads), lines, { steps: false, height: 330, xName: "threads", xTick: String, xLabel: "threads" });
  }

  // ---- parts of the page ----------------------------------------------------------------------------------------------
  function kindBar(parts, all) {
    const bar = h("div", { class: "bar", role: "img", "aria-label": KINDS.filter((kind) => parts[kind] > 0).map((kind) => kind.replace("_", " ") + " " + percent(parts[kind] / all)).join(", ") || "no misses" });
    for (const kind of KINDS)
      if (parts[kind] > 0)
        bar.append(h("i", { style: "width:" + (100 * parts[kind]) / all + "%;background:var(--" + kind.replace("_", "-") + ")", title: kind.replace("_", " ") + ": " + percent(parts[kind] / all) }));
    return bar;
  }
  function kindsOf(by, rows) {
    const parts = {};
    for (const kind of KINDS)
      parts[kind] = sum(rows.map((i) => by[kind] && by[kind][i]));
    return parts;
  }
  function kindKey() {
    return h("div", { class: "key" }, KINDS.map((kind) => h("span", {}, h("i", { style: "background:var(--" + kind.replace("_", "-") + ")" }), kind.replace("_", " "))));
  }
  const all = (by) => by.reference.map((_, i) => i);

  function head() {
    const caches = data.caches || [], theme = h("button", { class: "screen", id: "theme", onclick: turnTheme, title: "light or dark (d)" }, "light / dark");
    return h("div", { class: "top" },
      h("div", {},
        h("h1", {}, data.title || "pluss report"),
        h("div", { class: "chips" },
          caches.map((cache) => h("span", { class: "chip" }, (cache.label ? cache.label + " " : "") + bytes(cache.bytes) + (cache.threads_per_cache === 1 ? ", each thread’s" : ""))),
          h("span", { class: "chip" }, plural(data.regions.length, "region")),
          data.coverage !== undefined ? h("span", { class: "chip" }, "coverage " + percent(data.coverage)) : "")),
      theme);
  }
  function glance() {
    const body = h("tbody"), most = Math.max(...data.regions.map((region) => region.cost)), first = data.regions[0].points;
    const names = unique(data.regions.flatMap((region) => widest(region.points).levels.map((level) => level.name)));
    const rows = data.regions.map((region, i) => {
      const point = widest(region.points), worst = point.worst && point.worst[0];
      return h("tr", { "data-region": i },
        h("td", {}, h("button", { class: "link mono", onclick: () => show({ region: i }, true) }, region.region), h("div", { class: "soft mono" }, place(region))),
        h("td", { class: "n wide" }, point.threads),
        h("td", { class: "n" }, count(point.accesses)),
        names.map((name) => {
          const level = point.levels.find((l) => l.name === name);
          return h("td", { class: "n" }, level ? percent(level.miss_ratio) : "-");
        }),
        h("td", { class: "wide", style: "width:15%" }, h("div", { class: "bar", title: "cost of its misses" }, h("i", { style: "width:" + (most > 0 ? (100 * region.cost) / most : 0) + "%;background:var(--hot)" }))),
        h("td", { class: "wide soft", style: "width:26%" }, worst ? [h("span", { class: "mono" }, region.references[worst.reference].reference), " ", worst.cause.split(":")[0].split(",")[0]] : ""));
    });
    body.append(...rows);
    const filter = data.regions.length > 12 ? h("input", { class: "screen", type: "search", placeholder: "filter", "aria-label": "filter regions", style: "margin-bottom:10px", oninput: (event) => {
      const text = event.target.value.toLowerCase();
      rows.forEach((row, i) => { row.hidden = !(data.regions[i].region + " " + place(data.regions[i])).toLowerCase().includes(text); });
    } }) : "";
    return h("section", { class: "card glance", id: "glance" }, h("h2", {}, "At a glance"), filter,
      h("div", { class: "scroll", style: data.regions.length > 12 ? "max-height:420px;overflow-y:auto" : "" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { style: "padding-left:10px" }, "region"), h("th", { class: "n wide" }, "T"), h("th", { class: "n" }, "accesses"), names.map((name) => h("th", { class: "n" }, name + " misses")), h("th", { class: "wide" }, "cost"), h("th", { class: "wide" }, "worst reference"))), body)));
  }
  function group(name, key, options, label) {
    return h("div", { class: "control" }, h("span", { id: "label-" + key }, name),
      h("div", { class: "group", role: "group", "aria-labelledby": "label-" + key },
        options.map((option) => h("button", { "data-key": key, "data-value": option, "aria-pressed": String(option === chosen[key]), onclick: () => show({ [key]: option }) }, label ? label(option) : option))));
  }
  function select(name, key, options, label) {
    return h("div", { class: "control" }, h("label", { for: "select-" + key }, name),
      h("select", { id: "select-" + key, onchange: (event) => show({ [key]: options[event.target.selectedIndex] }) },
        options.map((option) => h("option", { selected: option === chosen[key] }, label ? label(option) : option))));
  }
  function controls() {
    const points = data.regions[chosen.region].points, same = (keys) => points.filter((point) => keys.every((key) => point[key] === chosen[key]));
    const settings = unique(points.map((point) => point.setting)), kinds = unique(same(["setting"]).map((point) => point.kind));
    const chunks = unique(same(["setting", "kind"]).map((point) => point.chunk)), threads = teams().map((point) => point.threads);
    const shared = unique(current().curves.map((curve) => String(curve.threads_per_cache)));
    const pick = threads.length > 9 ? select : group;
    return h("div", { class: "controls", id: "controls" },
      pick("T", "threads", threads),
      select("schedule", "kind", kinds),
      chunks.length > 1 || chunks[0] ? select("chunk", "chunk", chunks, (chunk) => chunk || "default") : "",
      settings.length > 1 || settings[0] ? select("values", "setting", settings) : "",
      current().levels.length ? group("level", "level", current().levels.map((level) => level.name)) : "",
      shared.length > 1 ? select("threads a cache", "shared", shared) : "");
  }
  function worstCard(region, point) {
    if (!point.worst || !point.worst.length)
      return "";
    const advice = region.advice || [], checked = region.advice !== undefined;
    const told = (item) => h("li", {}, item.text + ", ", h("span", { class: "mono soft" }, place(item)),
      h("div", { class: "soft" }, "legal; predicted to cost " + percent(item.gain) + " ±" + percent(item.gain_error).replace(" %", "") + " less with T = " + item.threads + (item.source ? "; in the source: " + item.source : "")));
    return h("section", { class: "card" }, h("h2", {}, "Worst references"),
      advice.length ? h("div", { class: "try", id: "advice" }, h("b", {}, "Try"), h("ol", { class: "worst" }, advice.slice(0, 3).map(told))) : checked ? h("p", { class: "note", id: "advice" }, "No change that pluss advise tries is legal and predicted to cost less.") : "",
      h("ol", { class: "worst" }, point.worst.slice(0, 3).map((item) => {
        const reference = region.references[item.reference];
        return h("li", {},
          h("code", {}, reference.reference), " " + reference.access + (reference.loop ? " in loop " + reference.loop : "") + ", ", h("span", { class: "mono soft" }, place(reference)),
          h("div", {}, percent(item.share) + " of the misses of " + item.level + ". ", item.cause + (item.jump ? "; " + item.jump : "") + "."),
          item.cure && !checked ? h("div", { class: "try" }, h("b", {}, "Try: "), item.cure + ".") : "");
      })));
  }
  function levelCard(point) {
    if (!point.levels.length)
      return "";
    return h("section", { class: "card", id: "levels" }, h("h2", {}, "Misses by level"),
      h("div", { class: "scroll" }, h("table", {},
        h("thead", {}, h("tr", {}, ["level", "size"].map((name) => h("th", {}, name)), ["requests", "misses", "of accesses", "fetched", "written back"].map((name) => h("th", { class: "n" }, name)), h("th", { style: "width:22%" }, "kind"))),
        h("tbody", {}, point.levels.map((level) => h("tr", { class: level.name === chosen.level ? "chosen" : "" },
          h("td", { style: "padding-left:10px" }, level.name, level.threads_per_cache < point.threads ? h("span", { class: "soft" }, level.threads_per_cache === 1 ? ", each thread’s" : ", " + level.threads_per_cache + " threads’") : ""),
          h("td", {}, bytes(level.bytes), h("span", { class: "soft" }, level.ways * point.line_bytes === level.bytes ? ", fully associative" : ", " + plural(level.ways, "way"))),
          h("td", { class: "n" }, count(level.requests)), h("td", { class: "n", "data-value": level.name + "-misses" }, count(level.misses)), h("td", { class: "n" }, measured(level.miss_ratio, level.miss_ratio_error)),
          h("td", { class: "n" }, bytes(level.bytes_fetched)), h("td", { class: "n" }, bytes(level.bytes_written_back)),
          h("td", {}, kindBar(kindsOf(level.by_reference, all(level.by_reference)), Math.max(level.misses, 1e-9)))))))),
      kindKey());
  }
  let by = "reference";
  function attribution(region, point) {
    const level = levelOf(point);
    if (!level)
      return "";
    const table = level.by_reference, rows = new Map();
    all(table).forEach((i) => {
      const reference = region.references[table.reference[i]];
      const key = by === "array" ? reference.array || "?" : by === "loop" ? (reference.loop || "outside of loops") + (reference.loop_line ? " (line " + reference.loop_line + ")" : "") : String(i);
      rows.set(key, [...(rows.get(key) || []), i]);
    });
    const entries = [...rows.entries()].map(([key, list]) => ({ key, list, misses: sum(list.map((i) => table.misses[i])) })).sort((a, b) => b.misses - a.misses);
    const name = (entry) => {
      if (by !== "reference")
        return h("code", {}, entry.key);
      const reference = region.references[table.reference[entry.list[0]]];
      return [h("code", {}, reference.reference), h("span", { class: "soft" }, " " + reference.access + (reference.loop ? " in loop " + reference.loop : "") + " "), h("span", { class: "soft mono" }, place(reference))];
    };
    return h("section", { class: "card", id: "attribution" }, h("h2", {}, "Whose misses, " + level.name),
      h("div", { class: "group screen", role: "group", "aria-label": "attribution by", style: "margin-bottom:10px" }, ["reference", "array", "loop"].map((key) => h("button", { "aria-pressed": String(key === by), "data-by": key, onclick: () => { by = key; show({}); } }, key))),
      h("div", { class: "scroll" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", {}, by), h("th", { class: "n" }, "misses"), h("th", { class: "n" }, "share"), h("th", { class: "n" }, "miss ratio"), h("th", { class: "n" }, "fetched"), h("th", { style: "width:22%" }, "kind"))),
        h("tbody", {}, entries.slice(0, 40).map((entry) => h("tr", {},
          h("td", {}, name(entry)), h("td", { class: "n" }, count(entry.misses)), h("td", { class: "n" }, percent(level.misses > 0 ? entry.misses / level.misses : 0)),
          h("td", { class: "n" }, percent(entry.misses / Math.max(1e-9, sum(entry.list.map((i) => table.requests[i]))))), h("td", { class: "n" }, bytes(sum(entry.list.map((i) => table.bytes_fetched[i])))),
          h("td", {}, kindBar(kindsOf(table, entry.list), Math.max(entry.misses, 1e-9)))))))),
      entries.length > 40 ? h("p", { class: "note" }, "and " + (entries.length - 40) + " more") : "");
  }
  function reuseText(region, reuse) {
    const reference = region.references[reuse.reference], after = reuse.after === undefined ? null : region.references[reuse.after];
    const carried = reuse.carried_by === "loop" ? "carried by loop " + reuse.loop + (reuse.loop_line ? " (line " + reuse.loop_line + ")" : "")
      : reuse.carried_by === "repetition" ? "carried by the region’s repetition" : reuse.carried_by === "other loop" ? "from another loop" : "in the same iteration";
    const own = after && after.reference === reference.reference && after.access === reference.access;
    return ["reuse of ", h("code", {}, reference.reference), " " + carried, after && !own ? [", after the " + after.access + " of ", h("code", {}, after.reference), after.line ? " (line " + after.line + ")" : ""] : "",
      reuse.thread === "other" ? ", another thread’s touch" : ", own thread", ": " + percent(reuse.share) + " of all accesses"];
  }
  const opened = new Set();
  function sourceCard(region, point) {
    const level = levelOf(point);
    if (!level || !data.sources)
      return "";
    const table = level.by_reference, byPlace = new Map();
    all(table).forEach((i) => {
      const reference = region.references[table.reference[i]], key = reference.file + ":" + reference.line;
      const entry = byPlace.get(key) || { misses: 0, fetched: 0, references: new Set(), file: reference.file, line: reference.line };
      entry.misses += table.misses[i];
      entry.fetched += table.bytes_fetched[i] || 0;
      entry.references.add(table.reference[i]);
      byPlace.set(key, entry);
    });
    const files = unique([...byPlace.values()].map((entry) => entry.file).filter(Boolean)), lost = level.lost_reuses || [];
    const told = (entry) => {
      const reuses = lost.filter((reuse) => region.references[reuse.reference].line === entry.line && region.references[reuse.reference].file === entry.file);
      const parts = [...entry.references].map((number) => {
        const rows = all(table).filter((i) => table.reference[i] === number), misses = sum(rows.map((i) => table.misses[i])), kinds = kindsOf(table, rows), reference = region.references[number];
        const shares = KINDS.filter((kind) => kinds[kind] > 0.005 * misses).map((kind) => percent(kinds[kind] / misses) + " " + kind.replace("_", " ")).join(", ");
        return h("div", {}, h("code", {}, reference.reference), " " + reference.access + ": " + count(misses) + " misses" + (shares ? " (" + shares + ")" : ""));
      });
      return h("tr", { class: "told" }, h("td", { class: "no" }), h("td", { colspan: 4 }, parts, reuses.slice(0, 6).map((reuse) => h("div", {}, "lost: ", reuseText(region, reuse)))));
    };
    const parts = files.map((file) => {
      const source = data.sources.find((item) => item.file === file), entries = [...byPlace.values()].filter((entry) => entry.file === file).sort((a, b) => a.line - b.line);
      const text = source && source.lines, first = text ? Math.max(source.first_line, Math.min(region.file === file && region.line ? region.line : Infinity, entries[0].line - 4)) : 0;
      const last = text ? Math.min(source.first_line + text.length - 1, entries[entries.length - 1].line + 3) : 0;
      const lines = text ? Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i) : entries.map((entry) => entry.line);
      const body = h("tbody");
      for (const number of lines) {
        const entry = entries.find((item) => item.line === number), share = entry && level.misses > 0 ? entry.misses / level.misses : 0;
        const key = file + ":" + number, toggle = () => { opened.has(key) ? opened.delete(key) : opened.add(key); show({}); };
        body.append(h("tr", entry ? { class: "hot", tabindex: 0, "data-line": number, "aria-expanded": String(opened.has(key)), title: "what misses here, and what reuse was lost", onclick: toggle, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); } } } : {},
          h("td", { class: "no" }, number), h("td", { class: "code", style: share ? "background:" + faint("var(--hot)", Math.round(6 + 54 * Math.sqrt(share))) : "" }, text ? text[number - source.first_line].text : h("span", { class: "soft" }, "(text not here)")),
          h("td", { class: "n" }, entry ? count(entry.misses) : ""), h("td", { class: "n" }, entry ? percent(share) : ""), h("td", { class: "n" }, entry ? bytes(entry.fetched) : "")));
        if (entry && (opened.has(key) !== share >= 0.2))
          body.append(told(entry));
      }
      const why = source && source.notes ? source.notes.map((note) => note.text).join("; ") : "";
      return [h("h3", { class: "mono" }, file), why ? h("p", { class: "note" }, why) : "",
        h("div", { class: "scroll" }, h("table", { class: "source" }, h("thead", {}, h("tr", {}, h("th", { class: "no" }, ""), h("th", {}, ""), h("th", { class: "n" }, "misses"), h("th", { class: "n" }, "share"), h("th", { class: "n" }, "fetched"))), body))];
    });
    return h("section", { class: "card", id: "source" }, h("h2", {}, "Source, misses of " + level.name), parts.length ? parts : h("p", { class: "note" }, "the places of its references are not known"));
  }
  function methodCard(region, point) {
    const facts = [];
    const fact = (name, ...value) => facts.push(h("dt", {}, name), h("dd", {}, value));
    fact("figures", point.method === "simulation" ? "simulated, every access walked; thread progress " + point.engine : "predicted by the model " + point.engine + ", not measured");
    fact("region", place(region) || "place not known");
    if (point.runs)
      fact("recorded", plural(point.runs, "run") + (point.recorded ? ", by " + point.recorded : ""));
    fact("accesses", Math.round(point.accesses).toLocaleString("en"));
    fact("footprint", point.footprint_lines.toLocaleString("en") + " lines of " + point.line_bytes + " B, " + bytes(point.footprint_lines * point.line_bytes));
    fact("schedule", point.schedule || written);
    if (point.mean_error !== undefined)
      fact("standard error", percent(point.mean_error) + ", mean over sizes; bands and ± are of the mean: bands 95 %, ± one standard error");
    fact("coverage", point.coverage !== undefined ? percent(point.coverage) + " of the loads and stores of its runs" : "not counted: no run");
    fact("lost reuse", "as if a level were fully associative; conflict misses are in the tables by kind");
    fact("order of cost", "misses of the levels with the weights 1, 4, 16; cold ones count a tenth");
    const unknown = (data.unknown || []).filter((item) => item.region === region.region);
    return h("section", { class: "card", id: "method" }, h("h2", {}, "What could not be analysed"),
      unknown.length ? h("ul", {}, unknown.map((item) => h("li", {}, h("span", { class: "mono" }, place(item)), " " + item.kind + (item.array ? " of " + item.array : "") + ": " + item.reason)))
        : h("p", {}, region.unknown_constructs ? plural(region.unknown_constructs, "construct") + " could not be described and is not in these figures" : "Everything in this region is in these figures."),
      (data.notes || []).map((note) => h("p", { class: "note" }, note.severity + ": " + note.text)),
      h("h2", { style: "margin-top:18px" }, "How the figures were made"), h("dl", { class: "facts" }, facts));
  }

  // ---- all of it ------------------------------------------------------------------------------------------------------
  const detail = h("div", { id: "detail" }), table = glance();
  function show(changes, jump) {
    choose(changes);
    const region = data.regions[chosen.region], point = current(), focus = document.activeElement, scroll = window.scrollY;
    const again = focus && focus.dataset && focus.dataset.key ? '[data-key="' + focus.dataset.key + '"][data-value="' + CSS.escape(focus.dataset.value) + '"]' : focus && focus.id ? "#" + CSS.escape(focus.id) : focus && focus.dataset && focus.dataset.line ? '[data-line="' + focus.dataset.line + '"]' : focus && focus.dataset && focus.dataset.by ? '[data-by="' + focus.dataset.by + '"]' : null;
    charts.forEach((item) => item.chart.destroy());
    charts = [];
    const curves = h("div", { class: "chart", id: "curves", role: "img", "aria-label": "miss ratio by cache size; the table of levels has its values at the levels" });
    const scaling = h("div", { class: "chart", id: "scaling", role: "img", "aria-label": "misses by number of threads" });
    const scales = teams().length > 1 && point.levels.length > 0;
    detail.replaceChildren(
      h("h2", { id: "region", style: "margin-top:26px;font-size:20px" }, h("span", { class: "mono" }, region.region), " ", h("span", { class: "soft mono", style: "font-size:14px" }, place(region))),
      controls(), worstCard(region, point),
      h("div", { class: scales ? "pair" : "" }, h("section", { class: "card" }, h("h2", {}, "Miss ratio by size"), curves), scales ? h("section", { class: "card" }, h("h2", {}, "Misses by threads"), scaling) : ""),
      levelCard(point), sourceCard(region, point), attribution(region, point), methodCard(region, point));
    drawCurves(curves);
    if (scales)
      drawScaling(scaling);
    table.querySelectorAll("tr[data-region]").forEach((row) => row.classList.toggle("chosen", Number(row.dataset.region) === chosen.region));
    if (again && detail.querySelector(again))
      detail.querySelector(again).focus({ preventScroll: true });
    if (jump)
      document.getElementById("region").scrollIntoView();
    else
      window.scrollTo(0, scroll);
  }
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let theme = null;
  function setTheme(name) {
    document.documentElement.dataset.theme = name;
    if (charts.length)
      show({});
  }
  function turnTheme() {
    theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    setTheme(theme);
  }
  function resize() {
    for (const item of charts)
      item.chart.setSize({ width: Math.max(240, item.host.clientWidth), height: item.height });
  }
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
      return;
    const step = (list, key, by) => {
      const next = list[list.indexOf(chosen[key]) + by];
      if (next !== undefined)
        show({ [key]: next });
    };
    const threads = teams().map((point) => point.threads), levels = current().levels.map((level) => level.name);
    if (event.key === "t" || event.key === "T")
      step(threads, "threads", event.key === "t" ? 1 : -1);
    else if (event.key === "l" || event.key === "L")
      step(levels, "level", event.key === "l" ? 1 : -1);
    else if (event.key === "j" || event.key === "k")
      step(data.regions.map((_, i) => i), "region", event.key === "j" ? 1 : -1);
    else if (event.key === "d")
      turnTheme();
  }
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  dark.addEventListener("change", (event) => { if (!theme) setTheme(event.matches ? "dark" : "light"); });
  window.addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; show({}); });
  window.addEventListener("afterprint", () => setTheme(theme || (dark.matches ? "dark" : "light")));
  let later = 0;
  window.addEventListener("resize", () => { clearTimeout(later); later = setTimeout(resize, 60); });
  document.addEventListener("keydown", onKey);
  document.title = (data.title ? data.title + " - " : "") + "pluss report";
  page.append(head(), table, detail, h("p", { class: "soft screen" }, "Keys: t T threads, l L level, j k region, d light or dark."));
  document.getElementById("plain").hidden = true;
  show({ region: 0, threads: widest(data.regions[0].points).threads, kind: "", chunk: "", setting: "", level: "", shared: "" });
  document.documentElement.dataset.ready = "yes";
})();
