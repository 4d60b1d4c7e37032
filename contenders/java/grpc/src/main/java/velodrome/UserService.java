package velodrome;

import io.grpc.stub.StreamObserver;
import velodrome.user.Empty;
import velodrome.user.UserGrpc;
import velodrome.user.UserId;

class UserService extends UserGrpc.UserImplBase {
    @Override
    public void index(Empty request, StreamObserver<Empty> responses) {
        responses.onNext(Empty.getDefaultInstance());
        responses.onCompleted();
    }

    @Override
    public void get(UserId request, StreamObserver<UserId> responses) {
        responses.onNext(UserId.newBuilder().setId(request.getId()).build());
        responses.onCompleted();
    }

    @Override
    public void create(Empty request, StreamObserver<Empty> responses) {
        responses.onNext(Empty.getDefaultInstance());
        responses.onCompleted();
    }
}
