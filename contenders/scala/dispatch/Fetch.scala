import dispatch._, Defaults._

object Fetch {
  def main(args: Array[String]) {
    val http = Http
    Serve.lines((address, out) => http(url(address) > as.File(out)).apply())
  }
}
