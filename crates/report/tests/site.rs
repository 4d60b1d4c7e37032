//! A site of simulated runs: what is joined into a trend and what is not, and that nothing in a run becomes a part of a page.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{name, run};
use proptest::prelude::*;
use velo_fixtures::{Simulated, SimulatedOpenLoop, SimulatedTask, Simulation, contender_mut};
use velo_judge::{judge, judge_run};
use velo_model::PartyRole;
use velo_record::{
    CaseRecord, ContenderState, Placement, RatePurpose, RunFile, RunState, Window, WindowKind,
};
use velo_report::site::{MOST_CONTENDERS, MOST_RUNS, MOST_WORKLOADS, Site};

const HOSTILE: &str =
    "\x1b[31m<script>alert(1)</script>\" onload=\"x' --> ]]> &lt; \u{202e}../../..\r\n%2e%2e/ 漢字";

/// The pages by their paths.
type Pages = BTreeMap<String, String>;

fn simulated(contenders: &[(&str, f64)]) -> (RunFile, Vec<Window>) {
    let all = contenders.iter().map(|(contender, rate)| Simulated::new(contender, *rate)).collect();
    Simulation { blocks: 3, ..Simulation::new(all) }.run()
}

/// Two servers that are far enough apart for ranks.
fn usual() -> (RunFile, Vec<Window>) {
    simulated(&[("go/gin", 40_000.0), ("js/fastify", 30_000.0)])
}

/// The path of the run's own page, which leads to the one whose charts can be switched.
fn add(site: &mut Site, folder: &str, (file, windows): &(RunFile, Vec<Window>)) -> Option<String> {
    let judged = judge_run(file, windows);
    let [own, switched] = site.add(folder, file, &judged.judgement, judged.detail())?;
    assert_is_plain(&own.path);
    assert_is_a_page(&own.text);
    assert!(own.text.contains(r#"<a href="page.html">"#), "{}", own.text);
    assert_eq!(switched.path.strip_suffix("page.html"), own.path.strip_suffix("index.html"));
    Some(own.path)
}

fn on(
    day: u32,
    mut run: (RunFile, Vec<Window>),
    change: impl FnOnce(&mut RunFile),
) -> (RunFile, Vec<Window>) {
    run.0.started_at = format!("2026-11-{day:02}T10:31:02Z");
    change(&mut run.0);
    run
}

/// The site of these runs. Each is put into the folder of its number.
fn site(runs: &[(RunFile, Vec<Window>)]) -> Pages {
    let mut site = Site::new();
    let mut own = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        own.extend(add(&mut site, &format!("run-{number}"), run));
    }
    let pages = checked(&site);
    let links = all_links(&pages);
    for path in own {
        assert!(links.contains(&path), "no page leads to {path}");
    }
    pages
}

/// The pages, each held against what every page must be.
fn checked(site: &Site) -> Pages {
    let mut pages = Pages::new();
    for file in site.files() {
        assert_is_plain(&file.path);
        assert_is_a_page(&file.text);
        assert!(pages.insert(file.path.clone(), file.text).is_none(), "{} is there twice", file.path);
    }
    let runs: BTreeSet<String> = site.ids().map(|id| format!("runs/{id}/index.html")).collect();
    for link in all_links(&pages) {
        let (path, part) = link.split_once('#').unwrap_or((&link, ""));
        assert!(pages.contains_key(path) || runs.contains(path), "{link} leads nowhere");
        let id = format!(" id=\"{part}\"");
        assert!(part.is_empty() || pages[path].contains(&id), "{link} leads to no part");
    }
    pages
}

/// A path that stays where it is put.
#[track_caller]
fn assert_is_plain(path: &str) {
    for part in path.split('/') {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '-';
        assert!(!part.is_empty() && !part.starts_with('.') && part.chars().all(is_plain), "{path}");
    }
}

/// The oracle for pages is a reader of its own: only elements and attributes that were meant, each closed, one heading of the first
/// level and none of a level that was skipped.
#[track_caller]
fn assert_is_a_page(page: &str) {
    const VOID: [&str; 3] = ["meta", "path", "circle"];
    const ATTRIBUTES: [&str; 27] = [
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "property",
        "class",
        "id",
        "href",
        "aria-label",
        "aria-current",
        "aria-labelledby",
        "role",
        "tabindex",
        "scope",
        "viewBox",
        "d",
        "x",
        "y",
        "cx",
        "cy",
        "r",
        "width",
        "height",
        "fill",
        "stroke",
        "points",
    ];
    let mut open: Vec<&str> = Vec::new();
    let mut levels = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").expect("a page of HTML");
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let (text, tag) = (&rest[..start], &rest[start + 1..end]);
        assert!(!text.contains(['>', '"']) || open.last() == Some(&"style"), "{text}");
        rest = &rest[end + 1..];
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "in {page}");
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let name = name.trim_end_matches('/');
        assert!(!["script", "img", "iframe", "object", "link", "base", "form"].contains(&name), "{tag}");
        // A value may begin with a space, so that a quote before a space need not end one.
        let mut left = attributes.trim_end_matches('/').trim();
        while !left.is_empty() {
            let (name, behind) = left.split_once("=\"").expect("an attribute has a value");
            let (value, behind) = behind.split_once('"').expect("a value ends");
            left = behind.trim_start();
            assert!(ATTRIBUTES.contains(&name), "{tag}");
            // A label is text, whatever stands in it.
            let is_text = ["content", "aria-label"].contains(&name);
            assert!(is_text || !value.contains("://"), "{tag}: nothing from elsewhere");
        }
        if let Some(level) = name.strip_prefix('h').and_then(|level| level.parse::<u32>().ok()) {
            levels.push(level);
        }
        let has = |attribute: &str| attributes.contains(&format!("{attribute}=\""));
        assert!(name != "th" || has("scope"), "{tag}");
        assert!(name != "svg" || (has("aria-label") && attributes.contains("role=\"img\"")), "{tag}");
        if !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    assert_eq!(levels.first(), Some(&1));
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    for part in [
        "<html lang=\"en\">",
        "<title>",
        "<nav",
        "<main>",
        "default-src &#39;none&#39;",
        "Velodrome compares",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// Where the links of all pages lead, as paths within the site.
fn all_links(pages: &Pages) -> BTreeSet<String> {
    let mut links = BTreeSet::new();
    for (path, text) in pages {
        for link in text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let mut parts: Vec<&str> = path.split('/').collect();
            parts.pop();
            for part in link.split('/') {
                match part {
                    ".." => assert!(parts.pop().is_some(), "{link} in {path} leads out of the site"),
                    part => parts.push(part),
                }
            }
            links.insert(parts.join("/"));
        }
    }
    links
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn the_first_page() {
    let (mut file, windows) = run(3);
    file.started_at = "2026-11-20T08:00:00Z".to_owned();
    let pages = site(&[
        (file, windows),
        on(21, usual(), |_| ()),
        on(22, usual(), |file| file.settings.quick = true),
        on(23, usual(), |file| file.host.cpus = 8),
    ]);
    // The style is the same on every page.
    let (before, rest) = pages["index.html"].split_once("<style>").unwrap();
    let (_, after) = rest.split_once("</style>").unwrap();
    insta::assert_snapshot!(format!("{before}{after}"));
}

#[test]
fn a_site_that_knows_its_address_says_what_is_behind_a_link() {
    let run = usual();
    assert!(!site(std::slice::from_ref(&run))["index.html"].contains("og:"), "no address is known");
    for address in ["https://example.org/velo", "https://example.org/velo/"] {
        let mut site = Site::at(address);
        add(&mut site, "run", &run);
        let pages = checked(&site);
        let of = |path: &str, property: &str, content: &str| {
            let tag = format!("<meta property=\"og:{property}\" content=\"{content}");
            assert!(pages[path].contains(&tag), "{tag}: {}", pages[path]);
        };
        of("index.html", "url", "https://example.org/velo/\"");
        of("index.html", "title", "Results \u{2013} Velodrome\"");
        of("index.html", "description", "1 run of 1 workload with 2 contenders");
        of("workloads/coin.html", "url", "https://example.org/velo/workloads/coin.html\"");
        of("workloads/coin.html", "description", "go/gin serves ");
    }
}

#[test]
fn runs_of_one_host_make_a_trend() {
    let pages = site(&[on(20, usual(), |_| ()), on(22, usual(), |_| ()), on(21, usual(), |_| ())]);
    let page = &pages["workloads/coin.html"];
    assert_eq!((count(page, "<h2>"), count(page, "<svg")), (1, 2), "one trend, a picture for each contender");
    assert_eq!(count(page, "<circle class=\"dot\""), 6, "each contender has a dot for each run");
    assert!(page.contains("3 complete runs from 2026-11-20 to 2026-11-22."), "{page}");
    assert!(!page.contains("Versions that changed") && !page.contains("across these nothing is compared"));
    assert!(pages["index.html"].contains("go/gin serves 1."), "the answer is there");
    let history = &pages["contenders/go/gin.html"];
    assert_eq!(count(history, "<tr>"), 1 + 3);
    let newest = history.find("2026-11-22 10:31").unwrap();
    assert!(newest < history.find("2026-11-20 10:31").unwrap(), "the newest comes first");
}

#[test]
fn all_pictures_of_a_trend_have_the_same_axes() {
    let far = || simulated(&[("go/gin", 40_000.0), ("ruby/rack", 400.0)]);
    let page = &site(&[on(20, far(), |_| ()), on(21, far(), |_| ())])["workloads/coin.html"];
    assert!(page.contains("the scale is logarithmic"), "{page}");
    let axes: Vec<Vec<&str>> = page
        .split("<svg")
        .skip(1)
        .map(|svg| svg.split("class=\"end\">").skip(1).filter_map(|rest| rest.split('<').next()).collect())
        .collect();
    assert_eq!(axes.len(), 2);
    assert_eq!(axes[0], axes[1]);
    assert_eq!(axes[0].last(), Some(&"2026-11-21"));
}

#[test]
fn across_hosts_workloads_and_settings_nothing_is_joined() {
    for (change, words) in [
        (&(|file: &mut RunFile| file.host.cpus = 8) as &dyn Fn(&mut RunFile), "Simulated CPU, 8 CPUs"),
        (&|file| file.host.cpu_model = Some("Another CPU".to_owned()), "Another CPU, 2 CPUs"),
        (
            &|file| file.workloads[0].hash = "12345678abc".to_owned(),
            "Simulated CPU, 2 CPUs; workload 12345678",
        ),
        (
            &|file| {
                file.placement =
                    Placement::new([(PartyRole::Contender, vec![0, 1]), (PartyRole::Generator, vec![2])]);
            },
            "Simulated CPU, 2 CPUs; 2 CPUs serve, 1 loads",
        ),
        (
            &|file| file.settings.overrides = vec!["connections 100".to_owned()],
            "Simulated CPU, 2 CPUs; 1 CPU serves, 1 loads, connections 100",
        ),
    ] {
        let pages = site(&[on(20, usual(), |_| ()), on(21, usual(), change)]);
        let page = &pages["workloads/coin.html"];
        assert_eq!((count(page, "<h2>"), count(page, "<svg")), (2, 0), "{words}");
        assert!(page.contains(&format!("<h2>{words}</h2>")), "{words}: {page}");
        assert!(page.contains("across these nothing is compared"), "{page}");
        assert_eq!(count(&pages["contenders/go/gin.html"], "<h3>"), 2);
    }
    let kernel = |file: &mut RunFile| file.host.kernel = "7.0".to_owned();
    let page = &site(&[on(20, usual(), |_| ()), on(21, usual(), kernel)])["workloads/coin.html"];
    assert_eq!(count(page, "<svg"), 2, "another kernel is not another host");
}

#[test]
fn a_new_version_is_marked_and_named() {
    let renewed = |version: &str| {
        let version = version.to_owned();
        move |file: &mut RunFile| file.contenders[0].version = Some(version)
    };
    let runs = [
        on(20, usual(), renewed("1.10.0")),
        on(21, usual(), renewed("1.10.0")),
        on(22, usual(), renewed("1.11.0")),
    ];
    let pages = site(&runs);
    let page = &pages["workloads/coin.html"];
    assert_eq!(count(page, "class=\"change\""), 1);
    assert!(page.contains("<title>2026-11-22: 1.10.0 to 1.11.0</title>"), "{page}");
    let table = page.split_once("Versions that changed</h3>").unwrap().1;
    let table = table.split_once("</table>").unwrap().0;
    assert_eq!(count(table, "<tr>"), 2);
    for part in ["go/gin", "2026-11-22 10:31", "<td>1.10.0</td><td>1.11.0</td>"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(pages["contenders/go/gin.html"].contains("<td>1.10.0</td>"));

    let generator = |file: &mut RunFile| file.identity.velo = "0.2.0".to_owned();
    let page = &site(&[on(20, usual(), |_| ()), on(21, usual(), generator)])["workloads/coin.html"];
    assert!(page.contains("<td>velo 0.1.0, epoll</td><td>velo 0.2.0, epoll</td>"), "{page}");
}

/// Seven servers, far enough apart for ranks.
fn seven() -> (RunFile, Vec<Window>) {
    let names: Vec<String> = (1..=7).map(|number| format!("go/server-{number}")).collect();
    let rate = |number: usize| 10_000.0 * 1.2_f64.powi(number as i32);
    let all: Vec<(&str, f64)> =
        names.iter().enumerate().map(|(number, name)| (name.as_str(), rate(number))).collect();
    simulated(&all)
}

/// The tables of a page whose heads have a column of this title, by their labels.
fn tables_with<'p>(page: &'p str, title: &str) -> Vec<&'p str> {
    let tables = page.split("role=\"group\" aria-label=\"").skip(1);
    let head = |table: &str| table.split("</thead>").next().unwrap().contains(&format!(">{title}</th>"));
    tables.filter(|table| head(table)).map(|table| table.split('"').next().unwrap()).collect()
}

#[test]
fn the_headline_is_that_of_the_widest_complete_run() {
    let wide = || on(20, seven(), |_| ());
    let narrow = || on(22, usual(), |_| ());
    let partial = || {
        let eight = simulated(&[("a/a", 1e4), ("a/b", 2e4), ("a/c", 3e4), ("a/d", 4e4), ("a/e", 5e4)]);
        on(23, eight, |file| file.state = RunState::Interrupted)
    };
    let of = |page: &str, link: &str| page.contains(&format!("From the run of <a href=\"{link}\">"));
    let pages = site(&[wide(), narrow(), partial()]);
    let (index, page) = (&pages["index.html"], &pages["workloads/coin.html"]);
    assert!(of(index, "runs/run-0/index.html") && of(page, "../runs/run-0/index.html"), "{index}");
    assert!(index.contains("\"answer\">go/server-7 ") && page.contains("<h1>go/server-7 "), "{index}");
    for text in [index, page] {
        assert!(
            text.contains("A newer complete run, of <a href=\"") && text.contains(", ranks fewer contenders"),
            "{text}"
        );
    }
    // As wide as the one before: the newer one.
    let pages = site(&[wide(), narrow(), on(21, seven(), |_| ())]);
    assert!(of(&pages["index.html"], "runs/run-2/index.html"), "{}", pages["index.html"]);
    // A contender that was skipped makes no run wider.
    let skipped = |day| {
        on(day, simulated(&[("go/gin", 40_000.0), ("js/fastify", 30_000.0), ("php/slim", 5_000.0)]), |file| {
            file.contenders[2].state = ContenderState::Skipped { reason: "no php".to_owned(), cure: None };
        })
    };
    let pages = site(&[
        on(20, simulated(&[("go/gin", 4e4), ("js/fastify", 3e4), ("php/slim", 5e3)]), |_| ()),
        skipped(21),
    ]);
    assert!(of(&pages["index.html"], "runs/run-0/index.html"), "{}", pages["index.html"]);
    assert!(!site(&[wide()])["index.html"].contains("A newer complete run"));
}

/// Two runs that share no contender each have a first one: side by side those would look like one ranking.
#[test]
fn ranks_stand_in_tables_of_one_run_alone() {
    let other = simulated(&[("php/slim", 5_000.0), ("ruby/rack", 9_000.0)]);
    let pages = site(&[on(20, seven(), |_| ()), on(21, usual(), |_| ()), on(22, other, |_| ())]);
    for (path, page) in &pages {
        let ranked = tables_with(page, "rank");
        match path.as_str() {
            "index.html" => assert_eq!(ranked, ["The best of coin"]),
            "workloads/coin.html" => {
                assert_eq!(ranked, ["Ranking of the run of 2026-11-20 10:31, goodput/s"]);
            }
            _ => assert_eq!(ranked, [""; 0], "{path}"),
        }
    }
    let page = &pages["workloads/coin.html"];
    let ranking = page.split_once("Ranking of the run of").unwrap().1.split_once("</table>").unwrap().0;
    assert_eq!(count(ranking, "<tr>"), 1 + 7, "{ranking}");
    assert!(!ranking.contains("php/slim"), "{ranking}");
    assert!(page.contains("figures of different runs are not ranked against one another"), "{page}");
    let latest = page.split_once("Latest figures</h3>").unwrap().1.split_once("</table>").unwrap().0;
    assert_eq!(count(latest, "<tr>"), 1 + 7 + 2 + 2, "{latest}");
}

#[test]
fn one_run_is_no_trend() {
    let pages = site(&[usual()]);
    let page = &pages["workloads/coin.html"];
    assert_eq!(count(page, "<svg"), 0);
    assert!(page.contains("One run is no trend yet."), "{page}");
    assert!(page.contains("1 complete run of 2026-11-21."), "{page}");
    let paths: Vec<&str> = pages.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        ["contenders/go/gin.html", "contenders/js/fastify.html", "index.html", "workloads/coin.html"]
    );
}

#[test]
fn partial_and_quick_runs_are_listed_but_not_in_trends() {
    let runs = [
        on(20, usual(), |_| ()),
        on(21, usual(), |_| ()),
        on(22, usual(), |file| file.state = RunState::Interrupted),
        on(23, usual(), |file| file.settings.quick = true),
    ];
    let pages = site(&runs);
    let page = &pages["workloads/coin.html"];
    assert_eq!(count(page, "<circle"), 4);
    assert!(
        page.contains("2 complete runs from 2026-11-20 to 2026-11-21; those in another state are in"),
        "{page}"
    );
    for words in ["quick look", "partial: it was stopped"] {
        assert!(page.contains(words) && pages["index.html"].contains(words), "{words}");
    }
    assert!(
        pages["index.html"]
            .contains("From the run of <a href=\"runs/run-1/index.html\">2026-11-21 10:31</a> on")
    );

    let page = &site(&runs[2..])["workloads/coin.html"];
    assert!(page.contains("2 runs; only those whose state is complete have figures here."), "{page}");
    assert_eq!(count(page, "<svg"), 0);
}

#[test]
fn a_contender_that_came_or_went_keeps_its_history() {
    let more = simulated(&[("go/gin", 40_000.0), ("js/fastify", 30_000.0), ("php/slim", 5_000.0)]);
    let pages = site(&[
        on(20, more, |_| ()),
        on(21, usual(), |_| ()),
        on(22, usual(), |file| {
            file.contenders[1].state = ContenderState::Skipped { reason: "no node".to_owned(), cure: None };
        }),
    ]);
    let page = &pages["workloads/coin.html"];
    let latest = page.split_once("Latest figures</h3>").unwrap().1.split_once("</table>").unwrap().0;
    assert_eq!(count(latest, "<tr>"), 1 + 3, "{latest}");
    for row in latest.split("<tr>").filter(|row| row.contains("php/slim")) {
        assert!(row.contains("2026-11-20 10:31"), "{row}");
    }
    assert!(pages["contenders/js/fastify.html"].contains("skipped: no node"));
}

#[test]
fn tasks_have_a_trend_of_their_own() {
    let with_tasks = |day| {
        on(day, usual(), |file| {
            SimulatedTask::add(&[SimulatedTask::new("rust/program", 9e6, 3.1e6)], file, u64::from(day));
        })
    };
    let pages = site(&[with_tasks(20), with_tasks(21)]);
    let page = &pages["workloads/coin.html"];
    assert_eq!(count(page, "<svg"), 3);
    assert!(
        page.contains("Servers: goodput/s") && page.contains("Tasks: steady time of an iteration"),
        "{page}"
    );
    assert!(pages["contenders/rust/program.html"].contains("CPU/iteration"));
}

#[test]
fn without_a_goodput_the_cost_at_one_rate_makes_the_trend() {
    let at_rate = |day| {
        let (mut file, mut windows) = simulated(&[("go/gin", 40_000.0), ("ruby/rack", 9_000.0)]);
        for contender in ["go/gin", "ruby/rack"] {
            let open_loop = SimulatedOpenLoop::new(RatePurpose::CommonRate, 1_000.0);
            open_loop.add_to(&mut windows, &name(contender));
        }
        windows.retain(|window| window.kind() != WindowKind::Block);
        file.workloads[0].load.rate_per_s = Some(1_000.0);
        on(day, (file, windows), |_| ())
    };
    let pages = site(&[at_rate(20), at_rate(21)]);
    let page = &pages["workloads/coin.html"];
    assert!(
        page.contains("Servers: CPU/request at the common rate") && !page.contains("goodput/s<"),
        "{page}"
    );
    assert_eq!(count(page, "<svg"), 2);
    assert!(page.contains(" at 1,000 requests/s</title>"), "{page}");
    assert!(pages["index.html"].contains("CPU/request at the common rate</th>"));
}

#[test]
fn sixty_contenders_have_sixty_pages() {
    let names: Vec<String> = (0..60).map(|number| format!("go/server-{number:02}")).collect();
    let contenders: Vec<(&str, f64)> = names
        .iter()
        .enumerate()
        .map(|(number, name)| (name.as_str(), 1_000.0 * 1.08_f64.powi(number as i32)))
        .collect();
    let pages = site(&[on(20, simulated(&contenders), |_| ()), on(21, simulated(&contenders), |_| ())]);
    assert_eq!(pages.len(), 60 + 2);
    let page = &pages["workloads/coin.html"];
    assert_eq!(count(page, "<svg"), 60);
    assert!(page.len() < 300_000, "{} bytes", page.len());
    assert!(pages["index.html"].contains("55 more are ranked"));
}

#[test]
fn what_has_no_room_is_named() {
    let run = usual();
    let judgement = judge(&run.0, &run.1);
    let mut full = Site::new();
    for number in 0..MOST_RUNS {
        assert!(!full.is_full());
        assert!(full.add(&format!("r{number}"), &run.0, &judgement, Vec::new()).is_some());
    }
    assert!(full.is_full());
    assert_eq!(full.add("one-more", &run.0, &judgement, Vec::new()), None);
    full.leave_out("another\x1b[31m");
    assert_eq!(full.notes(), ["2 runs are left out, as a site has at most 500: another, one-more"]);
    let index = full.files().next().unwrap();
    assert!(index.text.contains("another, one-more"));
    assert_eq!(full.ids().count(), MOST_RUNS);
    let workload = full.files().nth(1).unwrap().text;
    assert_eq!(count(&workload, "<circle"), 2 * 100, "a trend has an end");

    let mut site = Site::new();
    for part in 0..=MOST_CONTENDERS / 50 {
        let names: Vec<String> = (0..50).map(|number| format!("go/s{part}-{number}")).collect();
        let (mut file, _) = usual();
        let record = file.contenders[0].clone();
        file.contenders = names
            .iter()
            .map(|own| {
                let mut record = record.clone();
                record.manifest.name = name(own);
                record
            })
            .collect();
        add(&mut site, &format!("run-{part}"), &(file, Vec::new()));
    }
    assert_eq!(checked(&site).keys().filter(|path| path.starts_with("contenders/")).count(), MOST_CONTENDERS);
    assert!(site.notes()[0].starts_with("50 contenders are left out, as a site has at most 300: go/s6-0, "));

    let (mut file, _) = usual();
    let workload = file.workloads[0].clone();
    file.workloads = (0..=MOST_WORKLOADS)
        .map(|number| velo_model::Workload { name: format!("w{number:03}"), ..workload.clone() })
        .collect();
    let mut site = Site::new();
    add(&mut site, "run", &(file, Vec::new()));
    assert_eq!(site.notes(), ["1 workload is left out, as a site has at most 100: w100"]);
}

/// A run in which every text is this one.
fn hostile(text: &str) -> (RunFile, Vec<Window>) {
    let (mut file, mut windows) = run(1);
    file.started_at = text.to_owned();
    file.host.cpu_model = Some(text.to_owned());
    file.host.hostname = text.to_owned();
    file.identity.velo = text.to_owned();
    file.identity.driver = text.to_owned();
    file.settings.overrides = vec![text.to_owned()];
    for record in &mut file.contenders {
        record.version = Some(text.to_owned());
        record.cases.push(CaseRecord {
            workload: text.to_owned(),
            case: text.to_owned(),
            required: false,
            passed: false,
            got: text.to_owned(),
        });
    }
    file.contenders[3].state =
        ContenderState::Skipped { reason: text.to_owned(), cure: Some(text.to_owned()) };
    let workload = &mut file.workloads[0];
    (workload.name, workload.question, workload.hash) = (text.to_owned(), text.to_owned(), text.to_owned());
    windows.iter_mut().for_each(|window| window.workload = text.to_owned());
    (file, windows)
}

fn hostile_site(text: &str) -> Pages {
    let mut site = Site::new();
    let mut paths = BTreeSet::new();
    for mut run in [hostile(text), hostile(text)] {
        let dated = format!("2026-11-{}T10:31:02Z", 20 + paths.len());
        if !paths.is_empty() {
            run.0.started_at = dated;
        }
        let path = add(&mut site, text, &run).expect("there is room");
        assert_is_plain(&path);
        assert!(paths.insert(path), "each run has a page of its own");
    }
    checked(&site)
}

#[test]
fn names_that_somebody_made_up_stay_text() {
    let pages = hostile_site(HOSTILE);
    let text: String = pages.values().map(String::as_str).collect();
    assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !text.contains("<script"));
    assert!(!text.contains(['\x1b', '\u{202e}']));
    let mut site = Site::new();
    let run = usual();
    for (folder, path) in [
        ("../../etc/passwd", "runs/etc-passwd/index.html"),
        ("..", "runs/run/index.html"),
        ("ETC-passwd", "runs/etc-passwd-2/index.html"),
        ("<b>", "runs/b/index.html"),
    ] {
        assert_eq!(add(&mut site, folder, &run).as_deref(), Some(path));
    }
    for text in ["", " ", "\u{200b}", "..", "index.html", "/", "\u{1160}\t!", " =\" a"] {
        hostile_site(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_text_stays_text(text in "(\\PC|[\\x00-\\x7f]|\\s){0,120}") {
        hostile_site(&text);
    }

    #[test]
    fn any_figures_are_drawn_or_left_out(rates in prop::collection::vec(prop_oneof![1e-3..1e6, Just(3.0)], 1..5), bits: u64) {
        let contenders: Vec<(String, f64)> =
            rates.iter().enumerate().map(|(number, rate)| (format!("go/s{number}"), *rate)).collect();
        let contenders: Vec<(&str, f64)> = contenders.iter().map(|(name, rate)| (name.as_str(), *rate)).collect();
        let mut runs = [on(20, simulated(&contenders), |_| ()), on(21, simulated(&contenders), |_| ())];
        for (index, window) in runs[1].1.iter_mut().enumerate() {
            match (bits >> (index % 59)) & 7 {
                0 => contender_mut(window).cpu_total_ns = Some(u64::MAX),
                1 => window.outcomes.correct = u64::MAX,
                2 => window.duration_ns = 0,
                _ => {}
            }
        }
        let pages = site(&runs);
        let text: String = pages.values().map(String::as_str).collect();
        prop_assert!(!text.contains("NaN") && !text.contains("inf<") && !text.contains("\"inf"), "{text}");
    }
}
