package velodrome;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import velodrome.auth.AuthGrpc;
import velodrome.auth.RequestBody;
import velodrome.auth.ResponseBody;

class AuthService extends AuthGrpc.AuthImplBase {
    record Account(long id, String name, String email, int age, boolean active, String city) {}

    private final ObjectMapper mapper = new ObjectMapper();
    private final File file = new File(String.valueOf(System.getenv("DATA_DIR")), "user.json");

    @Override
    public void test(RequestBody request, StreamObserver<ResponseBody> responses) {
        try {
            Account[] accounts = mapper.readValue(file, Account[].class);
            if (Arrays.stream(accounts).noneMatch(account -> account.id() == request.getId())) {
                responses.onError(Status.NOT_FOUND.withDescription("no such user").asRuntimeException());
                return;
            }
            byte[] password = request.getPassword().getBytes(StandardCharsets.UTF_8);
            byte[] digest = MessageDigest.getInstance("SHA-512").digest(password);
            responses.onNext(ResponseBody.newBuilder().setHash(HexFormat.of().formatHex(digest)).build());
            responses.onCompleted();
        } catch (IOException | NoSuchAlgorithmException error) {
            responses.onError(Status.INTERNAL.withCause(error).asRuntimeException());
        }
    }
}
