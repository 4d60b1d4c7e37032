import com.twitter.conversions.storage._
import com.twitter.finagle.Service
import com.twitter.finagle.builder.ClientBuilder
import com.twitter.finagle.http.{Http, RequestBuilder}
import com.twitter.util.Await
import java.io.{FileOutputStream, IOException}
import java.net.URL
import org.jboss.netty.handler.codec.http.{HttpRequest, HttpResponse}
import scala.collection.mutable

object Fetch {
  /** One for each host, as services are in Finagle. */
  private val clients = mutable.Map[String, Service[HttpRequest, HttpResponse]]()

  private def client(host: String) = clients.getOrElseUpdate(host, ClientBuilder()
    .codec(Http().maxResponseSize(64.megabytes))
    .hosts(host)
    .hostConnectionLimit(1)
    .build())

  def main(args: Array[String]) {
    Serve.lines((address, out) => {
      val url = new URL(address)
      val response = Await.result(client(url.getHost + ":" + url.getPort)(RequestBuilder().url(url).buildGet()))
      if (response.getStatus.getCode != 200) throw new IOException(response.getStatus.toString)
      val file = new FileOutputStream(out)
      try response.getContent.readBytes(file, response.getContent.readableBytes) finally file.close()
    })
  }
}
